package io.repave.core.snapshot;

import io.repave.core.error.RecordErrors;
import io.repave.core.snapshot.FileStream.Placed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * Merges sorted streams. It refuses a stream that is out of order; only a bad record causes that.
 */
final class FileMerge implements FileStream {
  /** The next file of one source. */
  record Next(int source, Placed placed) {}

  private static final Comparator<Next> ORDER =
      Comparator.comparing(Next::placed, Placed.ORDER).thenComparingInt(Next::source);

  private final List<FileStream> sources;
  private final PriorityQueue<Next> heads = new PriorityQueue<>(ORDER);
  private boolean begun;

  FileMerge(List<FileStream> sources) {
    this.sources = List.copyOf(sources);
  }

  /** The next file; a file that several sources have comes several times. */
  @Override
  public Optional<Placed> next() throws IOException, InterruptedException {
    begin();
    return heads.isEmpty() ? Optional.empty() : Optional.of(take().placed());
  }

  /** The next file from every source that has it, in the order of the sources; empty at the end. */
  List<Next> group() throws IOException, InterruptedException {
    begin();
    List<Next> group = new ArrayList<>();
    while (!heads.isEmpty()
        && (group.isEmpty() || heads.peek().placed().isAt(group.get(0).placed()))) {
      group.add(take());
    }
    return group;
  }

  private void begin() throws IOException, InterruptedException {
    if (!begun) {
      begun = true;
      for (int source = 0; source < sources.size(); source++) {
        advance(source);
      }
    }
  }

  private Next take() throws IOException, InterruptedException {
    Next taken = heads.poll();
    Optional<Next> follows = advance(taken.source());
    if (follows.isPresent() && Placed.ORDER.compare(taken.placed(), follows.get().placed()) > 0) {
      throw RecordErrors.filesOutOfOrder(
          follows.get().placed().partition(), follows.get().placed().file().name());
    }
    return taken;
  }

  private Optional<Next> advance(int source) throws IOException, InterruptedException {
    Optional<Next> next = sources.get(source).next().map(placed -> new Next(source, placed));
    next.ifPresent(heads::add);
    return next;
  }
}
