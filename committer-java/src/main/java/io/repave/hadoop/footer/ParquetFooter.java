package io.repave.hadoop.footer;

import io.repave.core.ledger.FactsReader;
import io.repave.core.ledger.FileFacts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Reads facts from the end of a Parquet file: {@code <footer> <its length, 4 bytes> PAR1}. Any
 * other bytes give no facts. The file of an encrypted footer ends with {@code PARE}.
 *
 * <p>The classes of Parquet are not used, because jobs without them write files too (ADR 0044).
 */
public final class ParquetFooter {
  public static final int MAGIC_BYTES = 4;

  private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);
  private static final int TRAILER_BYTES = 4 + MAGIC_BYTES;

  /**
   * Of a longer footer only the beginning is read, which has the number of rows. Its schema stays
   * unknown, because what the writer says of it is at the end.
   */
  private static final int READ_BYTES_MAX = 4 << 20;

  private static final String ROW_TYPE = "org.apache.spark.sql.parquet.row.metadata";

  private static final byte[] NOTHING = {};

  /** Spark leaves this mark when it writes days and times of the old calendar. */
  private static final String LEGACY_TIMES = "org.apache.spark.legacyDateTime";

  /** Spark names the rules by which it compares a column's texts in the column's metadata. */
  private static final String COLLATIONS = "__COLLATIONS";

  /** Parquet's own writer for Java counts NaN among the values. */
  private static final String PARQUET_JAVA = "parquet-mr";

  private final CompactThrift thrift;
  private final WantedFacts wanted;
  private final RowGroups groups;
  private final FooterBounds bounds;
  private final FooterOrder order;
  private List<ParquetColumn> columns = List.of();
  private FileFacts facts = FileFacts.NONE;
  private String key = "";
  private byte[] value = NOTHING;
  private Optional<String> rowType = Optional.empty();
  private String writer = "";
  private boolean legacyTimes;

  private ParquetFooter(byte[] footer, WantedFacts wanted) {
    thrift = new CompactThrift(footer);
    this.wanted = wanted;
    groups = new RowGroups(thrift);
    bounds = new FooterBounds(groups);
    order = new FooterOrder(groups, wanted);
  }

  /** What a file's end tells: its facts, and whether its rows are not in the wanted order. */
  public record Content(FileFacts facts, Optional<Disorder> disorder) {
    public static final Content UNKNOWN = new Content(FileFacts.NONE, Optional.empty());
  }

  /** Whether a file that begins with these bytes may be a Parquet file. */
  public static boolean isBegun(byte[] start) {
    return Arrays.equals(MAGIC, start);
  }

  /** The facts of a file, without bounds. */
  public static FileFacts read(FactsReader.FileEnd file) throws IOException {
    return content(file, WantedFacts.of(StatsColumns.NONE, FileOrder.NONE)).facts();
  }

  /** What is wanted of a file, as far as it is known. */
  public static Content content(FactsReader.FileEnd file, WantedFacts wanted) throws IOException {
    if (file.bytes() < MAGIC_BYTES + TRAILER_BYTES) {
      return Content.UNKNOWN;
    }
    Optional<byte[]> end = file.read(TRAILER_BYTES, TRAILER_BYTES);
    if (end.isEmpty()) {
      return Content.UNKNOWN;
    }
    ByteBuffer trailer = ByteBuffer.wrap(end.get()).order(ByteOrder.LITTLE_ENDIAN);
    int length = trailer.getInt();
    boolean marked = trailer.equals(ByteBuffer.wrap(MAGIC));
    if (!marked || length <= 0 || length > file.bytes() - MAGIC_BYTES - TRAILER_BYTES) {
      return Content.UNKNOWN;
    }
    int read = Math.min(length, READ_BYTES_MAX);
    Optional<byte[]> footer = file.read((long) TRAILER_BYTES + length, read);
    return footer.isEmpty()
        ? Content.UNKNOWN
        : new ParquetFooter(footer.get(), wanted).readAll(file);
  }

  /** What is known before the first damage; a footer of which the end is missing has none. */
  private Content readAll(FactsReader.FileEnd file) throws IOException {
    FooterBounds.Writer says;
    try {
      thrift.struct(this::read);
      says = new FooterBounds.Writer(writer.startsWith(PARQUET_JAVA), legacyTimes, hasCollations());
      facts = facts.withSchema(SparkSchema.of(columns, rowType)).withColumns(bounds.bounds(says));
    } catch (CompactThrift.DamagedException damaged) {
      return new Content(facts, Optional.empty());
    }
    FooterOrder.Found found = order.check(file, says);
    return new Content(facts.withOrdered(found.proven()), found.disorder());
  }

  private boolean hasCollations() {
    return rowType.isPresent() && rowType.get().contains(COLLATIONS);
  }

  /** {@code FileMetaData}. */
  private void read(int field) throws CompactThrift.DamagedException {
    switch (field) {
      case 2 -> {
        thrift.require(CompactThrift.LIST);
        columns = ParquetColumn.readAll(thrift);
        ParquetTree tree = new ParquetTree(columns);
        bounds.choose(tree, wanted.stats());
        order.choose(tree);
      }
      case 3 -> {
        thrift.require(CompactThrift.I64);
        facts = columns.isEmpty() ? facts : FileFacts.ofRows(thrift.number());
      }
      case 4 -> groups.read();
      case 6 -> writer = thrift.text();
      case 7 -> groups.readOrders();
      case 5 -> {
        thrift.require(CompactThrift.LIST);
        thrift.structs(READ_BYTES_MAX, this::beginPair, this::readPair, this::endPair);
      }
      default -> thrift.skip();
    }
  }

  private void beginPair() {
    key = "";
    value = NOTHING;
  }

  private void readPair(int field) throws CompactThrift.DamagedException {
    switch (field) {
      case 1 -> key = thrift.text();
      case 2 -> value = thrift.binary();
      default -> thrift.skip();
    }
  }

  private void endPair() {
    legacyTimes |= LEGACY_TIMES.equals(key);
    if (ROW_TYPE.equals(key)) {
      rowType = Optional.of(new String(value, StandardCharsets.UTF_8));
    }
  }
}
