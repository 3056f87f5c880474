package io.repave.core.snapshot;

import io.repave.core.error.InvalidRecordException;
import io.repave.core.snapshot.FileStream.Placed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;

/** Merges streams into one; refuses a stream that is not in order, as only a record can be. */
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

  /** The next file of all, however many sources have it. */
  @Override
  public Optional<Placed> next() throws IOException, InterruptedException {
    begin();
    return heads.isEmpty() ? Optional.empty() : Optional.of(take().placed());
  }

  /** What every source says of the next file, in the order of the sources; empty at the end. */
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
      throw new InvalidRecordException(
          "The records of this table name "
              + follows.get().placed().partition()
              + "/"
              + follows.get().placed().file().name()
              + " out of order. Nothing was changed; restore them from the bucket's older versions.");
    }
    return taken;
  }

  private Optional<Next> advance(int source) throws IOException, InterruptedException {
    Optional<Next> next = sources.get(source).next().map(placed -> new Next(source, placed));
    next.ifPresent(heads::add);
    return next;
  }
}
