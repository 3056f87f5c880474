package io.repave.core.ledger;

import io.repave.core.error.FormatErrors;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.TaskLedger.ColumnName;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads the bytes of a {@link TaskLedger} file by file, and trusts no count or length in them. */
public final class TaskLedgerReader {
  private static final int PARTS_MAX = 10_000;

  private final byte[] bytes;
  private int at;
  private final int files;
  private final long totalBytes;
  private final long requests;
  private final List<String> partitions;
  private final SchemaList shared;
  private final int distinct;
  private final byte[] packed;
  private SchemaList schemas;
  private final List<ColumnName> columns = new ArrayList<>();
  private final List<Optional<String>> orders = new ArrayList<>();
  private int read;
  private String previous = "";

  public TaskLedgerReader(byte[] bytes) throws InvalidRecordException {
    this(bytes, new SchemaList());
  }

  /** A reader whose schemas are the instances of this list, as far as they have room there. */
  TaskLedgerReader(byte[] bytes, SchemaList shared) throws InvalidRecordException {
    this.bytes = bytes;
    long format = number();
    if (format != TaskLedger.FORMAT) {
      throw refused("it has format " + format + ", this version reads " + TaskLedger.FORMAT);
    }
    files = count(Integer.MAX_VALUE);
    totalBytes = size();
    requests = size();
    int size = count(bytes.length);
    partitions = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      partitions.add(text());
    }
    this.shared = shared;
    distinct = count(SchemaList.COUNT_MAX);
    packed = distinct == 0 ? new byte[0] : take(count(bytes.length));
    int names = count(bytes.length);
    for (int i = 0; i < names; i++) {
      columns.add(new ColumnName(text(), text()));
    }
    int texts = count(bytes.length);
    for (int i = 0; i < texts; i++) {
      orders.add(Optional.of(order()));
    }
  }

  public int files() {
    return files;
  }

  public long totalBytes() {
    return totalBytes;
  }

  /** The requests of all files, of {@link Upload#requests}. */
  long requests() {
    return requests;
  }

  public List<String> partitions() {
    return partitions;
  }

  public boolean hasNext() {
    return read < files;
  }

  public Upload next() throws InvalidRecordException {
    int partition = count(partitions.size() - 1);
    int shared = count(previous.length());
    String name = previous.substring(0, shared) + text();
    long size = size();
    long partBytes = size();
    String uploadId = text();
    int parts = count(PARTS_MAX);
    List<String> etags = new ArrayList<>(parts);
    for (int i = 0; i < parts; i++) {
      etags.add(tag());
    }
    FileFacts facts = facts();
    previous = name;
    read++;
    return new Upload(partitions.get(partition), name, uploadId, size, partBytes, etags, facts);
  }

  /** 0 stands for what is unknown. */
  private FileFacts facts() throws InvalidRecordException {
    long rows = number();
    FileFacts facts = rows == 0 ? FileFacts.NONE : FileFacts.ofRows(rows - 1);
    int schema = count(distinct);
    if (schema > 0) {
      facts = facts.withSchema(schemas().at(schema - 1));
    }
    facts = facts.withColumns(columns());
    int order = count(orders.size());
    return order == 0 ? facts : facts.withOrdered(orders.get(order - 1));
  }

  private String order() throws InvalidRecordException {
    String order = text();
    if (!FileFacts.isOrder(order)) {
      throw refused("the order of a file is not possible");
    }
    return order;
  }

  /** Unpacked when the first file needs them: the totals of all tasks need none. */
  private SchemaList schemas() throws InvalidRecordException {
    if (schemas == null) {
      schemas = PackedSchemas.unpack(packed, distinct, shared);
    }
    return schemas;
  }

  private List<ColumnBounds> columns() throws InvalidRecordException {
    int size = count(ColumnBounds.COLUMNS_MAX);
    if (size == 0) {
      return List.of();
    }
    List<ColumnBounds> bounds = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      ColumnName name = columns.get(count(columns.size() - 1));
      Optional<String> low = optional();
      Optional<String> high = optional();
      long nulls = number();
      OptionalLong known = nulls == 0 ? OptionalLong.empty() : OptionalLong.of(nulls - 1);
      ColumnBounds column = new ColumnBounds(name.name(), name.type(), low, high, known);
      if (!column.isPossible()) {
        throw refused("the bounds of a column are not possible");
      }
      bounds.add(column);
    }
    return bounds;
  }

  private Optional<String> optional() throws InvalidRecordException {
    return count(1) == 0 ? Optional.empty() : Optional.of(text());
  }

  private String tag() throws InvalidRecordException {
    int length = count(bytes.length);
    if (length == 0) {
      return HexTag.format(take(16));
    }
    return new String(take(length - 1), StandardCharsets.UTF_8);
  }

  private String text() throws InvalidRecordException {
    return new String(take(count(bytes.length)), StandardCharsets.UTF_8);
  }

  private byte[] take(int length) throws InvalidRecordException {
    if (length > bytes.length - at) {
      throw refused("it ends early");
    }
    at += length;
    return Arrays.copyOfRange(bytes, at - length, at);
  }

  private int count(int max) throws InvalidRecordException {
    long value = number();
    if (value < 0 || value > max) {
      throw refused("a count of " + value + " is beyond " + max);
    }
    return (int) value;
  }

  private long size() throws InvalidRecordException {
    long value = number();
    if (value < 0 || value > FileFacts.NUMBER_MAX) {
      throw refused("a file size of " + value + " bytes is not possible");
    }
    return value;
  }

  private long number() throws InvalidRecordException {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at >= bytes.length) {
        throw refused("it ends early");
      }
      byte group = bytes[at++];
      value |= (group & 0x7FL) << shift;
      if (group >= 0) {
        return value;
      }
    }
    throw refused("a number has no end");
  }

  private static InvalidRecordException refused(String why) {
    return FormatErrors.badTaskLedger(why);
  }
}
