package io.repave.core.vacuum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitFailedException;
import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.ProcessDied;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Vacuum on tables whose files are named after files of earlier commits. */
class NestedFileNamesTest {
  private static final long HOUR = 3_600_000;

  private static String nested(String earlier, String own) {
    return PartFileName.of("part-00000-" + earlier + "-1-", 0, own, 0, ".txt");
  }

  @Test
  void uploadsOfADecidedCommitAreKept() throws Exception {
    TestTable table = new TestTable();
    table.commit(CommitKind.APPEND, "dt=1");
    WriteTransaction job =
        table.dyingAt(Step.COMPLETE_UPLOADS).begin(table.request(CommitKind.APPEND));
    String name = nested(TestTable.id(1), job.id().id());
    Location at = table.paths.file("dt=1", name);
    String id = table.store.createUpload(at);
    String tag = table.store.uploadPart(at, id, 1, ByteBuffer.wrap(new byte[] {1}));
    Upload upload = new Upload("dt=1", name, id, 1, 1, List.of(tag));
    assertThatThrownBy(() -> job.commit(TestTable.ledger(List.of(upload))))
        .isInstanceOf(ProcessDied.class);

    table.clock.advance(2 * HOUR);
    assertThat(table.open().vacuum(HOUR).uploads()).isZero();
    table.open().recover();
    assertThat(table.files()).contains("dt=1/" + name);
  }

  @Test
  void aJobWhoseFilesWereDeletedAsAbandonedIsRefused() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "dt=1");
    WriteTransaction job = table.open().begin(table.request(CommitKind.APPEND));
    String name = nested(TestTable.id(1), job.id().id());
    table.store.put(table.paths.file("dt=1", name), ByteBuffer.wrap(new byte[] {1}));
    table.clock.advance(2 * HOUR);
    table.open().vacuum(HOUR);

    Upload upload = new Upload("dt=1", name, "", 1, 0, List.of());
    assertThatThrownBy(() -> job.commit(TestTable.ledger(List.of(upload))))
        .isInstanceOf(CommitFailedException.class);
  }
}
