package io.repave.core.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.Meter;
import io.repave.core.engine.Progress;
import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.LoggedCommit;
import io.repave.core.store.Scratch;
import io.repave.testing.MemoryScratch;
import io.repave.testing.TestTable;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A listing table without followers has no files in its checkpoints, for 90 days by default. */
class ManySmallCommitsTest {
  private static final int COMMITS = 300;

  private final TestTable table = new TestTable();
  private final List<Counted> files = new ArrayList<>();
  private int openAtOnce;

  /** Scratch space that knows its files. */
  private final class Counted implements Scratch.TempFile {
    private final MemoryScratch file = new MemoryScratch();
    private boolean deleted;

    @Override
    public OutputStream write() {
      return file.write();
    }

    @Override
    public InputStream read() {
      return file.read();
    }

    @Override
    public void close() {
      assertThat(deleted).as("deleted twice").isFalse();
      deleted = true;
    }
  }

  private Scratch.TempFile create() {
    Counted file = new Counted();
    files.add(file);
    openAtOnce = Math.max(openAtOnce, (int) files.stream().filter(it -> !it.deleted).count());
    return file;
  }

  @BeforeEach
  void appends() throws Exception {
    for (int i = 0; i < COMMITS; i++) {
      table.commit(CommitKind.APPEND, "dt=" + i % 7);
    }
  }

  private TableContext context() {
    return new TableContext(
        table.process().scratch(this::create).ports(),
        table.paths,
        table.settings(),
        new Meter(table.clock, Progress.SILENT));
  }

  private int count(LiveFiles live) throws Exception {
    int[] count = {0};
    try (LiveFiles.Open open = live.all(table.head(), COMMITS)) {
      open.each((partition, file) -> count[0]++);
    }
    return count[0];
  }

  @Test
  void theyAreMergedInMemory() throws Exception {
    assertThat(count(new LiveFiles(context()))).isEqualTo(COMMITS);
    assertThat(files).isEmpty();
  }

  /** Otherwise the files of all steps together would fill the disk. */
  @Test
  void onlyTheLastOfTheTemporaryFilesIsKept() throws Exception {
    assertThat(count(new LiveFiles(context(), 32, 100))).isEqualTo(COMMITS);
    assertThat(files).hasSize(COMMITS / 32);
    assertThat(openAtOnce).isEqualTo(2);
    assertThat(files).allMatch(it -> it.deleted);
  }

  @Test
  void aMissingRecordLeavesNoTemporaryFile() throws Exception {
    LoggedCommit late = table.history().get(COMMITS - 20);
    table.store.delete(List.of(table.paths.manifest(late.id())));
    assertThatThrownBy(() -> count(new LiveFiles(context(), 32, 100)))
        .isInstanceOf(InvalidRecordException.class);
    assertThat(files).isNotEmpty().allMatch(it -> it.deleted);
  }
}
