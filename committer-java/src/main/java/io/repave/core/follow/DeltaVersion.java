package io.repave.core.follow;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.repave.core.error.DeltaLogErrors;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerState;
import io.repave.core.record.LoggedCommit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The file of one version in a Delta log: a line of JSON for each action. The same records give the
 * same bytes, whichever process writes them.
 */
final class DeltaVersion {
  /** A file of a version is written from memory. */
  static final int BYTES_MAX = 256 << 20;

  /** Names a feature that no Delta writer has, so that none writes to the table. */
  private static final List<String> WRITER_FEATURES = List.of("appendOnly", "invariants", "repave");

  private static final JsonFactory JSON = new JsonFactory();
  private static final Pattern NONCE =
      Pattern.compile("^(\\p{XDigit}{8})(.{4})(.{4})(.{4})(\\p{XDigit}{12})$");
  private static final String COMMIT_INFO = "commitInfo";
  private static final String TAG = "repave";
  private static final String BOUNDED = "delta.dataSkippingStatsColumns";
  private static final int ESCAPED_FROM = 0x7f;
  private static final String UNESCAPED = "-_.~/=";

  private final long version;
  private final long millis;
  private final boolean changesData;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  DeltaVersion(long version, long millis) {
    this(version, millis, true);
  }

  private DeltaVersion(long version, long millis, boolean changesData) {
    this.version = version;
    this.millis = millis;
    this.changesData = changesData;
  }

  /** The actions of a checkpoint, which repeat those of versions. */
  static DeltaVersion ofCheckpoint(long version, long millis) {
    return new DeltaVersion(version, millis, false);
  }

  /** Writes one action. */
  @FunctionalInterface
  private interface Action {
    void write(JsonGenerator json) throws IOException;
  }

  private void line(String name, Action action) throws InvalidRecordException {
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeObjectFieldStart(name);
      action.write(json);
      json.writeEndObject();
      json.writeEndObject();
    } catch (IOException e) {
      throw new IllegalStateException("memory cannot be written", e);
    }
    bytes.write('\n');
    if (bytes.size() > BYTES_MAX) {
      throw DeltaLogErrors.tooLarge(version, BYTES_MAX);
    }
  }

  /** The first line. {@code commit} is null in the version with which a log of a table begins. */
  void commitInfo(Follower follower, LoggedCommit commit) throws InvalidRecordException {
    String operation = commit == null ? "FOLLOW" : "WRITE";
    line(
        COMMIT_INFO,
        json -> {
          json.writeNumberField("timestamp", millis);
          json.writeStringField("operation", operation);
          json.writeObjectFieldStart("operationParameters");
          json.writeEndObject();
          json.writeStringField("engineInfo", "Repave");
          json.writeStringField("userMetadata", "version " + version + " of Repave");
          json.writeObjectFieldStart(TAG);
          json.writeStringField("follower", follower.id());
          json.writeNumberField("version", version);
          json.writeStringField("commit", commit == null ? "" : commit.id().folder());
          json.writeStringField("token", commit == null ? "" : commit.token());
          json.writeEndObject();
        });
  }

  void protocol() throws InvalidRecordException {
    line(
        "protocol",
        json -> {
          json.writeNumberField("minReaderVersion", 1);
          json.writeNumberField("minWriterVersion", 7);
          texts(json, "writerFeatures", WRITER_FEATURES);
        });
  }

  /** The columns of the table from this version on. */
  void metaData(Follower follower, FollowerState state, long createdMillis)
      throws InvalidRecordException {
    String schema = FileSchema.read(state.schema()).json(state.partitionColumns());
    line(
        "metaData",
        json -> {
          json.writeStringField("id", uuid(follower.id()));
          json.writeObjectFieldStart("format");
          json.writeStringField("provider", "parquet");
          json.writeObjectFieldStart("options");
          json.writeEndObject();
          json.writeEndObject();
          json.writeStringField("schemaString", schema);
          texts(
              json,
              "partitionColumns",
              state.partitionColumns().stream().map(FollowerState.Column::name).toList());
          json.writeObjectFieldStart("configuration");
          if (!state.bounded().isEmpty()) {
            // Readers take the first 32 columns to have bounds, if the log does not name others.
            json.writeStringField(BOUNDED, String.join(",", state.bounded()));
          }
          json.writeEndObject();
          json.writeNumberField("createdTime", createdMillis);
        });
  }

  void remove(PartitionFolder folder, FileEntry file) throws InvalidRecordException {
    line(
        "remove",
        json -> {
          json.writeStringField("path", path(folder.partition(), file));
          json.writeNumberField("deletionTimestamp", millis);
          json.writeBooleanField("dataChange", true);
        });
  }

  /** {@code statistics} are those of files with the columns of the state. */
  void add(PartitionFolder folder, FileEntry file, FollowerState state, FileStatistics statistics)
      throws InvalidRecordException {
    Map<String, String> values = folder.valuesOf(state.partitionColumns());
    line(
        "add",
        json -> {
          json.writeStringField("path", path(folder.partition(), file));
          json.writeObjectFieldStart("partitionValues");
          for (Map.Entry<String, String> value : values.entrySet()) {
            json.writeStringField(value.getKey(), value.getValue());
          }
          json.writeEndObject();
          json.writeNumberField("size", file.bytes());
          json.writeNumberField("modificationTime", millis);
          json.writeBooleanField("dataChange", changesData);
          Optional<String> stats = statistics.json(file.facts());
          if (stats.isPresent()) {
            json.writeStringField("stats", stats.get());
          }
        });
  }

  /** Readers expect the id of a table to look like a UUID. */
  private static String uuid(String nonce) {
    return NONCE.matcher(nonce).replaceFirst("$1-$2-$3-$4-$5");
  }

  private static void texts(JsonGenerator json, String name, List<String> texts)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (String text : texts) {
      json.writeString(text);
    }
    json.writeEndArray();
  }

  /** The path of a file, relative to the table, as a URI. */
  static String path(String partition, FileEntry file) {
    String path = partition.isEmpty() ? file.name() : partition + "/" + file.name();
    StringBuilder uri = new StringBuilder(path.length() + 16);
    for (byte b : path.getBytes(StandardCharsets.UTF_8)) {
      int c = b & 0xff;
      if (c < ESCAPED_FROM && (Character.isLetterOrDigit(c) || UNESCAPED.indexOf(c) >= 0)) {
        uri.append((char) c);
      } else {
        uri.append('%').append(Character.toUpperCase(Character.forDigit(c >> 4, 16)));
        uri.append(Character.toUpperCase(Character.forDigit(c & 0xf, 16)));
      }
    }
    return uri.toString();
  }

  byte[] bytes() {
    return bytes.toByteArray();
  }

  /** The actions since the last call. */
  byte[] drained() {
    byte[] actions = bytes.toByteArray();
    bytes.reset();
    return actions;
  }

  /**
   * True when two files of a log are of the same follower, version and commit. After an older head
   * was put back, another commit gets the same version.
   */
  static boolean haveSameWriter(byte[] one, byte[] other) {
    return writer(one).equals(writer(other));
  }

  /** True when a follower of any table, at any time, wrote a file of a log. */
  static boolean isOfRepave(byte[] content) {
    return writer(content).isPresent();
  }

  /** Who wrote a file of a log. */
  private record Writer(String follower, long version, String commit) {}

  private static Optional<Writer> writer(byte[] content) {
    // The first line: {"commitInfo":{…,"repave":{"follower":…,"version":…,"commit":…}}}
    JsonNode tag = FirstJson.of(content).path(COMMIT_INFO).path(TAG);
    return tag.isObject()
        ? Optional.of(
            new Writer(
                tag.path("follower").asText(),
                tag.path("version").asLong(-1),
                tag.path("commit").asText()))
        : Optional.empty();
  }
}
