package io.repave.core.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.DeliveryGuards;
import io.repave.core.engine.FolderContents;
import io.repave.core.engine.OwnRead;
import io.repave.core.error.CommitConflictException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.Snapshot;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A job that reads the partition dt=1 of its own table, and replaces it. */
class OwnReadCheckTest {
  private static TestTable table(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    return table;
  }

  /** What a query lists now of some partitions. */
  private static OwnRead read(TestTable table, boolean whole, String... partitions)
      throws Exception {
    FolderContents contents = new FolderContents();
    Snapshot snapshot = table.open().snapshot(table.head(), table.head().version());
    for (String partition : partitions) {
      for (FileEntry file : snapshot.files(partition)) {
        contents.add(table.paths.file(partition, file.name()));
      }
    }
    return new OwnRead(contents, folder -> whole, table.head().readers());
  }

  private static TestJob job(TestTable table, CommitKind kind, OwnRead read) throws Exception {
    CommitRequest request =
        table.request(kind, "").guardedBy(DeliveryGuards.NONE.reading(List.of(read)));
    return table.job(table.open(), request, "dt=1");
  }

  @ParameterizedTest
  @EnumSource
  void anAppendBetweenTheQuerysListingAndTheJobIsNotReplaced(Readers readers) throws Exception {
    TestTable table = table(readers);
    OwnRead read = read(table, false, "dt=1");
    table.commit(CommitKind.APPEND, "dt=1");
    Map<String, String> before = table.data();
    TestJob job = job(table, CommitKind.DYNAMIC, read);
    assertThatThrownBy(job::commit)
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("that its own query has not read, in dt=1.")
        .hasMessageContaining("Read the table again");
    assertThat(job.abort()).isTrue();
    assertThat(table.data()).isEqualTo(before);
  }

  /** The rows that it read are in no version any more, and would come back. */
  @ParameterizedTest
  @EnumSource
  void aReplacementOfWhatTheQueryReadIsNotUndone(Readers readers) throws Exception {
    TestTable table = table(readers);
    OwnRead read = read(table, false, "dt=1");
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThatThrownBy(job(table, CommitKind.DYNAMIC, read)::commit)
        .isInstanceOf(CommitConflictException.class);
  }

  @ParameterizedTest
  @EnumSource
  void aJobCommitsIfOnlyOtherPartitionsHaveChanged(Readers readers) throws Exception {
    TestTable table = table(readers);
    OwnRead read = read(table, false, "dt=1", "dt=2");
    table.commit(CommitKind.APPEND, "dt=2");
    table.commit(CommitKind.APPEND, "dt=3");
    job(table, CommitKind.DYNAMIC, read).commit();
    assertThat(table.recorded())
        .containsExactlyInAnyOrder(
            "dt=1/commit-000004", "dt=2/commit-000001", "dt=2/commit-000002", "dt=3/commit-000003");
  }

  /** A partition that the query did not read is replaced whatever is in it, as by any overwrite. */
  @ParameterizedTest
  @EnumSource
  void aJobMayReplaceAPartitionThatItDidNotRead(Readers readers) throws Exception {
    TestTable table = table(readers);
    OwnRead read = read(table, false, "dt=2");
    table.commit(CommitKind.APPEND, "dt=1");
    job(table, CommitKind.DYNAMIC, read).commit();
    assertThat(table.recorded()).containsExactly("dt=1/commit-000003", "dt=2/commit-000001");
  }

  @ParameterizedTest
  @CsvSource({"LISTING, true", "SNAPSHOT, true", "LISTING, false", "SNAPSHOT, false"})
  void aPartitionThatIsNewSinceTheListingIsUnreadOnlyIfTheWholeTableWasRead(
      Readers readers, boolean whole) throws Exception {
    TestTable table = table(readers);
    OwnRead read = read(table, whole, "dt=1", "dt=2");
    table.commit(CommitKind.APPEND, "dt=3");
    TestJob job = job(table, CommitKind.STATIC, read);
    if (whole) {
      assertThatThrownBy(job::commit)
          .isInstanceOf(CommitConflictException.class)
          .hasMessageContaining("in dt=3.");
    } else {
      job.commit();
      assertThat(table.recorded()).containsExactly("dt=1/commit-000003");
    }
  }

  @ParameterizedTest
  @EnumSource
  void theLastWriterMayReplaceWhatItHasNotRead(Readers readers) throws Exception {
    TestTable table = table(readers);
    table.configure(it -> it.conflicts(ConflictPolicy.LAST_WRITER));
    OwnRead read = read(table, false, "dt=1");
    table.commit(CommitKind.APPEND, "dt=1");
    job(table, CommitKind.DYNAMIC, read).commit();
    assertThat(table.recorded()).containsExactly("dt=1/commit-000003", "dt=2/commit-000001");
  }
}
