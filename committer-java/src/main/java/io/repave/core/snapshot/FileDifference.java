package io.repave.core.snapshot;

import io.repave.core.engine.FileSink;
import java.io.IOException;
import java.util.List;

/** Finds the files that only one of two streams has, and those that differ in size. */
public final class FileDifference {
  private final FileMerge merge;

  public FileDifference(FileStream left, FileStream right) {
    this.merge = new FileMerge(List.of(left, right));
  }

  /** Passes each file that only one stream has to the sink of that stream. */
  public void run(FileSink onlyLeft, FileSink onlyRight) throws IOException, InterruptedException {
    run(onlyLeft, onlyRight, (partition, file) -> {});
  }

  /** Also passes on the files that have another size on the right, as they are there. */
  public void run(FileSink onlyLeft, FileSink onlyRight, FileSink resized)
      throws IOException, InterruptedException {
    for (List<FileMerge.Next> group = merge.group(); !group.isEmpty(); group = merge.group()) {
      FileMerge.Next first = group.get(0);
      FileMerge.Next last = group.get(group.size() - 1);
      boolean both = first.source() != last.source();
      if (!both) {
        FileSink sink = first.source() == 0 ? onlyLeft : onlyRight;
        sink.file(first.placed().partition(), first.placed().file());
      } else if (first.placed().file().bytes() != last.placed().file().bytes()) {
        resized.file(last.placed().partition(), last.placed().file());
      }
    }
  }
}
