package io.repave.core.ledger;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Writes the files of one task as compact bytes: each partition, schema and order once, names as
 * the difference to the previous one, etags as 16 bytes. Spark's commit message carries them, and
 * they stay bytes in the driver until they are used. {@link TaskLedgerReader} reads them.
 */
public final class TaskLedger {
  static final int FORMAT = 5;

  private final Map<String, Integer> partitions = new LinkedHashMap<>();
  private final SchemaList schemas = new SchemaList();
  private final Map<ColumnName, Integer> columns = new LinkedHashMap<>();
  private final Map<String, Integer> orders = new LinkedHashMap<>();
  private final ByteArrayOutputStream files = new ByteArrayOutputStream();
  private String previous = "";
  private int count;
  private long bytes;
  private long requests;

  /** Adds a file. */
  public void add(Upload upload) {
    Integer partition = partitions.computeIfAbsent(upload.partition(), p -> partitions.size());
    int shared = sharedPrefix(previous, upload.name());
    number(files, partition);
    number(files, shared);
    text(files, upload.name().substring(shared));
    number(files, upload.bytes());
    number(files, upload.partBytes());
    text(files, upload.uploadId());
    number(files, upload.etags().size());
    for (String etag : upload.etags()) {
      tag(files, etag);
    }
    optional(files, upload.facts().rows());
    number(files, schemas.place(upload.facts().schema()) + 1);
    columns(upload.facts().columns());
    number(
        files,
        upload
            .facts()
            .ordered()
            .map(it -> orders.computeIfAbsent(it, unseen -> orders.size() + 1))
            .orElse(0));
    previous = upload.name();
    count++;
    bytes += upload.bytes();
    requests += upload.requests();
  }

  /** The name and the type of a column, which many files share. */
  record ColumnName(String name, String type) {}

  private void columns(List<ColumnBounds> bounds) {
    number(files, bounds.size());
    for (ColumnBounds each : bounds) {
      ColumnName name = new ColumnName(each.column(), each.type());
      number(files, columns.computeIfAbsent(name, it -> columns.size()));
      optional(files, each.low());
      optional(files, each.high());
      optional(files, each.nulls());
    }
  }

  /** The whole ledger as bytes. */
  public byte[] encode() {
    ByteArrayOutputStream out = new ByteArrayOutputStream(files.size() + 256);
    number(out, FORMAT);
    number(out, count);
    number(out, bytes);
    number(out, requests);
    number(out, partitions.size());
    partitions.keySet().forEach(partition -> text(out, partition));
    number(out, schemas.size());
    if (schemas.size() > 0) {
      byte[] packed = PackedSchemas.pack(schemas);
      number(out, packed.length);
      out.writeBytes(packed);
    }
    number(out, columns.size());
    for (ColumnName column : columns.keySet()) {
      text(out, column.name());
      text(out, column.type());
    }
    number(out, orders.size());
    orders.keySet().forEach(order -> text(out, order));
    out.writeBytes(files.toByteArray());
    return out.toByteArray();
  }

  private static int sharedPrefix(String left, String right) {
    int most = Math.min(left.length(), right.length());
    int shared = 0;
    while (shared < most && left.charAt(shared) == right.charAt(shared)) {
      shared++;
    }
    // Surrogate pairs stay together; otherwise the rest would not be valid text.
    return shared > 0 && Character.isHighSurrogate(left.charAt(shared - 1)) ? shared - 1 : shared;
  }

  /** An MD5 in hex, the usual etag of a part, takes 17 bytes; other etags are written as text. */
  private static void tag(ByteArrayOutputStream out, String etag) {
    byte[] md5 = HexTag.parse(etag);
    if (md5 != null) {
      number(out, 0);
      out.writeBytes(md5);
    } else {
      byte[] utf8 = etag.getBytes(StandardCharsets.UTF_8);
      number(out, utf8.length + 1L);
      out.writeBytes(utf8);
    }
  }

  private static void text(ByteArrayOutputStream out, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    number(out, utf8.length);
    out.writeBytes(utf8);
  }

  /** 0 stands for an unknown text. */
  private static void optional(ByteArrayOutputStream out, Optional<String> text) {
    number(out, text.isPresent() ? 1 : 0);
    text.ifPresent(known -> text(out, known));
  }

  /** 0 stands for an unknown number. */
  private static void optional(ByteArrayOutputStream out, OptionalLong value) {
    number(out, value.isPresent() ? value.getAsLong() + 1 : 0);
  }

  /** Writes a number in groups of seven bits, the lowest first. */
  private static void number(ByteArrayOutputStream out, long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      out.write((int) (rest & 0x7F) | 0x80);
      rest >>>= 7;
    }
    out.write((int) rest);
  }
}
