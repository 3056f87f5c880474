package io.repave.hadoop.footer;

import io.repave.core.ledger.FactsReader.FileEnd;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the pages of a column in one row group, from its column index and its offset index. */
final class PageIndex {
  private static final int BYTES_MAX = 4 << 20;

  private List<Boolean> nullPages = List.of();
  private List<byte[]> mins = List.of();
  private List<byte[]> maxes = List.of();
  private List<Long> nulls = List.of();
  private final List<Long> firsts = new ArrayList<>();

  private PageIndex() {}

  /** A page as the index has it; {@code first} counts from the beginning of the row group. */
  record Entry(long first, long end, boolean onlyNulls, long nulls, byte[] min, byte[] max) {}

  /** Empty if the file has no index, or none whose bytes are at hand and make sense. */
  static Optional<List<Entry>> read(FileEnd file, ColumnChunk chunk, long rows) throws IOException {
    Optional<byte[]> columns = bytes(file, chunk.columnIndex());
    Optional<byte[]> offsets = bytes(file, chunk.offsetIndex());
    if (columns.isEmpty() || offsets.isEmpty() || chunk.isEncrypted()) {
      return Optional.empty();
    }
    PageIndex index = new PageIndex();
    try {
      CompactThrift thrift = new CompactThrift(columns.get());
      thrift.struct(field -> index.readColumns(thrift, field));
      CompactThrift places = new CompactThrift(offsets.get());
      places.struct(field -> index.readOffsets(places, field));
    } catch (CompactThrift.DamagedException damaged) {
      return Optional.empty();
    }
    return index.entries(rows);
  }

  private static Optional<byte[]> bytes(FileEnd file, ColumnChunk.Range at) throws IOException {
    boolean inside =
        at.offset() > 0
            && at.length() > 0
            && at.length() <= BYTES_MAX
            && at.offset() <= file.bytes() - at.length();
    return inside ? file.read(file.bytes() - at.offset(), at.length()) : Optional.empty();
  }

  /** {@code ColumnIndex}. */
  private void readColumns(CompactThrift thrift, int field) throws CompactThrift.DamagedException {
    switch (field) {
      case 1 -> nullPages = thrift.flags();
      case 2 -> mins = thrift.binaries();
      case 3 -> maxes = thrift.binaries();
      case 5 -> nulls = thrift.numbers();
      default -> thrift.skip();
    }
  }

  /** {@code OffsetIndex}, of which only the first rows of the pages matter here. */
  private void readOffsets(CompactThrift thrift, int field) throws CompactThrift.DamagedException {
    if (field != 1) {
      thrift.skip();
      return;
    }
    thrift.require(CompactThrift.LIST);
    thrift.structs(
        BYTES_MAX,
        () -> {},
        inner -> {
          if (inner == 3) {
            thrift.require(CompactThrift.I64);
            firsts.add(thrift.number());
          } else {
            thrift.skip();
          }
        },
        () -> {});
  }

  private Optional<List<Entry>> entries(long rows) {
    int pages = nullPages.size();
    boolean whole =
        pages > 0
            && mins.size() == pages
            && maxes.size() == pages
            && firsts.size() == pages
            && (nulls.isEmpty() || nulls.size() == pages)
            && firsts.get(0) == 0;
    if (!whole) {
      return Optional.empty();
    }
    List<Entry> entries = new ArrayList<>(pages);
    for (int page = 0; page < pages; page++) {
      long first = firsts.get(page);
      long end = page + 1 < pages ? firsts.get(page + 1) : rows;
      if (end <= first) {
        return Optional.empty();
      }
      long without = nulls.isEmpty() ? ColumnChunk.UNKNOWN : nulls.get(page);
      entries.add(
          new Entry(first, end, nullPages.get(page), without, mins.get(page), maxes.get(page)));
    }
    return Optional.of(entries);
  }
}
