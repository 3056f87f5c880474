package io.repave.hadoop.upload;

import io.repave.core.ledger.FactsReader;
import io.repave.hadoop.footer.OrcFooter;
import io.repave.hadoop.footer.ParquetFooter;
import io.repave.hadoop.footer.WantedFacts;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a file's facts from its bytes on their way to the store. It sends no request, and no
 * failure of it is a failure of the write.
 *
 * <p>The footer of a Parquet or ORC file may begin in the part before the last one. That part may
 * be sent and gone, so a few of its last bytes are kept. A file whose footer begins before them has
 * no facts.
 */
final class PassingFile {
  static final int KEPT_BYTES = 64 * 1024;

  /** Page indexes stand before the footer. */
  static final int KEPT_WITH_INDEXES_BYTES = 1 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(PassingFile.class);

  private final WantedFacts wanted;
  private final int keptBytesMax;
  private boolean begun;
  private boolean parquet;
  private boolean orc;
  private long before;
  private byte[] kept = {};

  PassingFile(WantedFacts wanted) {
    this.wanted = wanted;
    keptBytesMax = wanted.order().isEmpty() ? KEPT_BYTES : KEPT_WITH_INDEXES_BYTES;
  }

  /** Sees a part that is not the last one, before it is sent. */
  void part(Part part) {
    try {
      begin(part);
      before += part.bytes();
      if (parquet || orc) {
        keep(part);
      }
    } catch (IOException | RuntimeException e) {
      withoutFacts(e);
    }
  }

  /** Sees the last part, before it is sent. */
  ParquetFooter.Content last(Part part) {
    try {
      begin(part);
      if (orc) {
        return new ParquetFooter.Content(OrcFooter.read(new End(part)), Optional.empty());
      }
      return parquet ? ParquetFooter.content(new End(part), wanted) : ParquetFooter.Content.UNKNOWN;
    } catch (IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
      withoutFacts(e);
      return ParquetFooter.Content.UNKNOWN;
    } finally {
      release();
    }
  }

  /**
   * Gives the kept bytes back when no further part follows. The file itself stays known until its
   * task ends, and a task may write thousands of files.
   */
  void release() {
    kept = new byte[0];
  }

  int keptBytes() {
    return kept.length;
  }

  private void begin(Part first) throws IOException {
    if (!begun) {
      begun = true;
      int magic = Math.min(ParquetFooter.MAGIC_BYTES, first.bytes());
      byte[] start = first.read(0, magic);
      parquet = ParquetFooter.isBegun(start);
      orc = OrcFooter.isBegun(start);
    }
  }

  private void keep(Part part) throws IOException {
    int length = Math.min(keptBytesMax, part.bytes());
    byte[] end = part.read(part.bytes() - length, length);
    int earlier = Math.min(keptBytesMax - length, kept.length);
    byte[] both = Arrays.copyOfRange(kept, kept.length - earlier, kept.length + length);
    System.arraycopy(end, 0, both, earlier, length);
    kept = both;
  }

  private void withoutFacts(Throwable why) {
    parquet = false;
    orc = false;
    release();
    LOG.debug("The facts of a file stay unknown.", why);
  }

  /** The kept bytes and the last part. */
  private final class End implements FactsReader.FileEnd {
    private final Part last;

    End(Part last) {
      this.last = last;
    }

    @Override
    public long bytes() {
      return before + last.bytes();
    }

    @Override
    public Optional<byte[]> read(long fromEnd, int length) throws IOException {
      long start = last.bytes() - fromEnd;
      if (start >= 0) {
        return Optional.of(last.read((int) start, length));
      }
      long inKept = kept.length + start;
      if (inKept < 0) {
        return Optional.empty();
      }
      int from = (int) inKept;
      int first = Math.min(length, kept.length - from);
      byte[] both = Arrays.copyOfRange(kept, from, from + length);
      if (first < length) {
        System.arraycopy(last.read(0, length - first), 0, both, first, length - first);
      }
      return Optional.of(both);
    }
  }
}
