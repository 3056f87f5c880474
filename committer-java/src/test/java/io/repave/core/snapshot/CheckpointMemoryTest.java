package io.repave.core.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.Meter;
import io.repave.core.engine.Progress;
import io.repave.core.engine.TableContext;
import io.repave.core.ledger.ColumnBounds;
import io.repave.core.ledger.FileFacts;
import io.repave.core.record.CheckpointShard;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Scratch;
import io.repave.testing.MemoryScratch;
import io.repave.testing.TestTable;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What a checkpoint has in memory does not grow with the commits since the last one. */
class CheckpointMemoryTest {
  private static final int COMMITS = 12;
  private static final int SHARD = 4;

  private final TestTable table = new TestTable(Readers.SNAPSHOT);
  private int temporaryFiles;

  private TableContext context() {
    return new TableContext(
        table.process().scratch(this::create).ports(),
        table.paths,
        table.settings(),
        new Meter(table.clock, Progress.SILENT));
  }

  private Scratch.TempFile create() {
    temporaryFiles++;
    return new MemoryScratch();
  }

  private List<String> shards(int foldersMost) throws Exception {
    CheckpointWriter writer = new CheckpointWriter(context(), SHARD, foldersMost);
    return writer.withFiles(table.head()).index().shards().stream()
        .map(CheckpointShard::name)
        .toList();
  }

  /** It does not remember the folders, and reads no further manifest to find them. */
  @Test
  void itRewritesAllShardsWhenCommitsTouchVeryManyFolders() throws Exception {
    table.checkpointEvery(5);
    for (int commit = 0; commit < 4; commit++) {
      table.commit(CommitKind.APPEND, Collections.nCopies(10, "a=1").toArray(String[]::new));
    }
    String untouched =
        new CheckpointChain(context()).newest(table.head()).orElseThrow().shards().get(0).name();
    table.checkpointEvery(1_000);
    for (int commit = 0; commit < COMMITS; commit++) {
      table.commit(CommitKind.APPEND, "b=" + commit, "c=" + commit);
    }
    assertThat(shards(2 * COMMITS)).contains(untouched);
    assertThat(shards(2 * COMMITS - 1)).doesNotContain(untouched);
  }

  private void appendWith(List<ColumnBounds> columns) throws Exception {
    WriteTransaction job = table.open().begin(table.request(CommitKind.APPEND));
    FileFacts facts = FileFacts.ofRows(1).withColumns(columns);
    List<String> partitions = Collections.nCopies(10, "dt=1");
    job.commit(TestTable.ledger(table.upload(job, partitions, facts)));
  }

  private void readAll() throws Exception {
    try (LiveFiles.Open open =
        new LiveFiles(context(), 2, 150).all(table.head(), table.head().version())) {
      open.each((partition, file) -> {});
    }
  }

  /** Each may take more memory than its file. */
  @Test
  void theBoundsOfColumnsCountAsFilesDo() throws Exception {
    table.checkpointEvery(1_000);
    for (int i = 0; i < 6; i++) {
      appendWith(List.of());
    }
    readAll();
    assertThat(temporaryFiles).isZero();
    ColumnBounds column =
        new ColumnBounds("id", "long", Optional.of("1"), Optional.of("9"), OptionalLong.of(0));
    for (int i = 0; i < 6; i++) {
      appendWith(Collections.nCopies(8, column));
    }
    readAll();
    assertThat(temporaryFiles).isPositive();
  }
}
