package io.repave.core.record;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.error.FormatErrors;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.store.Sha256;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * The envelope of every record: a JSON object with its {@code format}, its {@code record} type and,
 * as its last member, a checksum of all bytes before it. Records are read as hostile input.
 */
public final class RecordCodec {
  /** The format of records that version 0.1 can read. */
  public static final int FORMAT = 1;

  /** The largest size of a record, compressed or not. */
  public static final int BYTES_MAX = 64 << 20;

  /** More JSON tokens than a record of 10,000 files with 200 parts each has. */
  private static final int TOKENS_MAX = 3_000_000;

  private static final int GZIP_MAGIC = 0x1f;
  private static final String CHECKSUM = ",\"checksum\":\"";
  private static final int TAIL = CHECKSUM.length() + 64 + 2;
  private static final ObjectMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(16)
                          .maxNumberLength(20)
                          .maxStringLength(8192)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private RecordCodec() {}

  /** Starts a record of a type; the caller adds its members. */
  public static ObjectNode begin(String record) {
    return begin(record, FORMAT);
  }

  /** Starts a record that an older version would misunderstand. */
  static ObjectNode begin(String record, int format) {
    return JSON.createObjectNode().put("format", format).put("record", record);
  }

  /** The record's bytes, with their checksum. */
  public static byte[] seal(ObjectNode record) {
    try {
      byte[] body = JSON.writeValueAsBytes(record);
      byte[] tail = (CHECKSUM + sha256(body, body.length) + "\"}").getBytes(StandardCharsets.UTF_8);
      byte[] sealed = Arrays.copyOf(body, body.length - 1 + tail.length);
      System.arraycopy(tail, 0, sealed, body.length - 1, tail.length);
      return sealed;
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of plain values cannot be written", e);
    }
  }

  /**
   * The record's bytes, with their checksum, compressed. Throws when readers would not accept so
   * large a record.
   */
  static byte[] sealPacked(ObjectNode record) throws InvalidRecordException {
    return sealPacked(record, 100);
  }

  /** The same for a record that may be as large as this percentage of what readers accept. */
  static byte[] sealPacked(ObjectNode record, int percent) throws InvalidRecordException {
    byte[] sealed = seal(record);
    requireSize(sealed, percent, record.path("record").textValue());
    ByteArrayOutputStream packed = new ByteArrayOutputStream(sealed.length / 4 + 64);
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(sealed);
    } catch (IOException e) {
      throw new IllegalStateException("memory cannot be written", e);
    }
    return packed.toByteArray();
  }

  /** Checks a record's bytes, compressed or not, and parses them; {@code where} is for messages. */
  public static JsonNode open(byte[] bytes, String record, String where)
      throws InvalidRecordException {
    return open(bytes, record, FORMAT, where);
  }

  /** The same for a type of record whose newest format is {@code newest}. */
  static JsonNode open(byte[] bytes, String record, int newest, String where)
      throws InvalidRecordException {
    byte[] sealed = unpack(bytes, where);
    int bodyEnd = sealed.length - TAIL;
    if (bodyEnd < 1 || !checksum(sealed, bodyEnd).equals(checksumOf(sealed, bodyEnd))) {
      throw FormatErrors.badChecksum(where);
    }
    JsonNode tree = parse(sealed, where);
    JsonNode stated = tree.path("format");
    long format = stated.isIntegralNumber() ? stated.asLong() : -1;
    if (format > newest) {
      throw FormatErrors.newerFormat(where, format, newest);
    }
    if (format < 1 || !record.equals(tree.path("record").asText())) {
      throw FormatErrors.otherType(where, record);
    }
    return tree;
  }

  private static JsonNode parse(byte[] sealed, String where) throws InvalidRecordException {
    try {
      if (sealed.length > TOKENS_MAX) {
        requireFewTokens(sealed, where);
      }
      JsonNode tree = JSON.readTree(sealed);
      if (tree != null && tree.isObject()) {
        return tree;
      }
      throw FormatErrors.notAnObject(where);
    } catch (InvalidRecordException e) {
      throw e;
    } catch (IOException e) {
      // Jackson's message may quote the input, so it is not passed on.
      throw FormatErrors.notRepaveJson(where);
    }
  }

  /** A tree of very small values takes far more memory than its text. */
  private static void requireFewTokens(byte[] sealed, String where) throws IOException {
    if (hasMoreTokens(sealed, TOKENS_MAX)) {
      throw FormatErrors.tooManyValues(where);
    }
  }

  private static boolean hasMoreTokens(byte[] sealed, long most) throws IOException {
    try (JsonParser parser = JSON.createParser(sealed)) {
      long tokens = 0;
      while (parser.nextToken() != null) {
        if (++tokens > most) {
          return true;
        }
      }
      return false;
    }
  }

  private static void requireSize(byte[] sealed, long percent, String record)
      throws InvalidRecordException {
    long tokensMax = TOKENS_MAX * percent / 100;
    long bytesMax = BYTES_MAX * percent / 100;
    try {
      if (sealed.length > bytesMax
          || sealed.length > tokensMax && hasMoreTokens(sealed, tokensMax)) {
        throw FormatErrors.tooLargeToWrite(record, bytesMax, tokensMax);
      }
    } catch (InvalidRecordException e) {
      throw e;
    } catch (IOException e) {
      throw new IllegalStateException("what was just written is JSON", e);
    }
  }

  private static byte[] unpack(byte[] bytes, String where) throws InvalidRecordException {
    if (bytes.length == 0 || bytes[0] != GZIP_MAGIC) {
      return bytes;
    }
    try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      byte[] unpacked = gzip.readNBytes(BYTES_MAX + 1);
      if (unpacked.length > BYTES_MAX) {
        throw FormatErrors.tooLarge(where);
      }
      return unpacked;
    } catch (IOException e) {
      if (e instanceof InvalidRecordException refused) {
        throw refused;
      }
      throw FormatErrors.notUnpackable(where, e);
    }
  }

  /** The checksum at the end of the record; "" when its end does not have that form. */
  private static String checksum(byte[] sealed, int bodyEnd) {
    String tail = new String(sealed, bodyEnd, TAIL, StandardCharsets.UTF_8);
    boolean formed = tail.startsWith(CHECKSUM) && tail.endsWith("\"}");
    return formed ? tail.substring(CHECKSUM.length(), TAIL - 2) : "";
  }

  /** The checksum covers the body as it was before the checksum was added: closed by a brace. */
  private static String checksumOf(byte[] sealed, int bodyEnd) {
    byte[] body = Arrays.copyOf(sealed, bodyEnd + 1);
    body[bodyEnd] = '}';
    return sha256(body, body.length);
  }

  private static String sha256(byte[] bytes, int length) {
    MessageDigest hash = Sha256.create();
    hash.update(bytes, 0, length);
    return Sha256.hex(hash);
  }
}
