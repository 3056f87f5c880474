package io.repave.core.listing;

import io.repave.core.engine.TableContext;
import io.repave.core.ledger.FactsReader;
import io.repave.core.ledger.FileFacts;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Reads the facts of a file in the store that the records do not know, from its last bytes.
 * Requests: 1 GET of a range, 2 for a large footer.
 */
public final class StoredFacts {
  /** Most footers are smaller. */
  static final int TAIL_BYTES = 64 * 1024;

  private static final int RANGE_BYTES_MAX = 4 << 20;

  private final TableContext context;

  public StoredFacts(TableContext context) {
    this.context = context;
  }

  /** No facts when the file is gone, or when its format does not have them. */
  public FileFacts of(Location at, long bytes) throws IOException, InterruptedException {
    if (bytes == 0) {
      return FileFacts.ofRows(0);
    }
    HeldEnd end = new HeldEnd(bytes);
    int tail = (int) Math.min(TAIL_BYTES, bytes);
    if (!fetched(end, at, new Range(bytes - tail, tail))) {
      return FileFacts.NONE;
    }
    FileFacts facts = context.ports().facts().read(end);
    return end.missing.isPresent() && fetched(end, at, end.missing.get())
        ? context.ports().facts().read(end)
        : facts;
  }

  private boolean fetched(HeldEnd end, Location at, Range range)
      throws StoreException, InterruptedException {
    if (range.from < 0 || range.length > RANGE_BYTES_MAX) {
      return false;
    }
    Optional<byte[]> bytes =
        context.retry().known(() -> context.store().readRange(at, range.from, range.length));
    bytes.ifPresent(content -> end.held.add(new Piece(range.from, content)));
    return bytes.isPresent();
  }

  private record Range(long from, int length) {}

  private record Piece(long from, byte[] content) {
    boolean has(long start, int length) {
      return start >= from && start + length <= from + content.length;
    }
  }

  /** The pieces of a file that are at hand, and the first one that was asked for and is not. */
  private static final class HeldEnd implements FactsReader.FileEnd {
    final List<Piece> held = new ArrayList<>();
    final long bytes;
    Optional<Range> missing = Optional.empty();

    HeldEnd(long bytes) {
      this.bytes = bytes;
    }

    @Override
    public long bytes() {
      return bytes;
    }

    @Override
    public Optional<byte[]> read(long fromEnd, int length) {
      long start = bytes - fromEnd;
      for (Piece piece : held) {
        if (piece.has(start, length)) {
          int from = (int) (start - piece.from);
          return Optional.of(Arrays.copyOfRange(piece.content, from, from + length));
        }
      }
      missing = Optional.of(new Range(start, length));
      return Optional.empty();
    }
  }
}
