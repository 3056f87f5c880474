package io.repave.core.snapshot;

import io.repave.core.engine.FileSink;
import java.io.IOException;
import java.util.List;

/** Finds the files that only one of two streams has. */
public final class FileDifference {
  private final FileMerge merge;

  public FileDifference(FileStream left, FileStream right) {
    this.merge = new FileMerge(List.of(left, right));
  }

  /** Passes each such file to the sink of its stream. */
  public void run(FileSink onlyLeft, FileSink onlyRight) throws IOException, InterruptedException {
    for (List<FileMerge.Next> group = merge.group(); !group.isEmpty(); group = merge.group()) {
      FileMerge.Next first = group.get(0);
      boolean both = first.source() != group.get(group.size() - 1).source();
      if (!both) {
        FileSink sink = first.source() == 0 ? onlyLeft : onlyRight;
        sink.file(first.placed().partition(), first.placed().file());
      }
    }
  }
}
