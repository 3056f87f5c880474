package io.repave.core.follow;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Schema;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.testing.DeltaReplay;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Delta does not tell columns apart by the case of their letters. */
class ColumnsInAnotherCaseTest {
  private static void commit(TestTable table, String partition, String schema) throws Exception {
    WriteTransaction job = table.open().begin(table.request(CommitKind.APPEND));
    FileFacts facts = FileFacts.ofRows(3).withSchema(Schema.of(schema));
    List<Upload> uploads = new ArrayList<>();
    for (Upload it : table.upload(job, List.of(partition))) {
      uploads.add(
          new Upload(
              it.partition(),
              it.name(),
              it.uploadId(),
              it.bytes(),
              it.partBytes(),
              it.etags(),
              facts));
    }
    job.commit(TestTable.ledger(uploads));
  }

  @Test
  void aPartitionColumnThatDiffersInCaseFromAColumnStopsTheLog() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.configure(it -> it.change().followers(List.of(FollowerKind.DELTA)).done());
    commit(
        table,
        "dt=1",
        "{\"type\":\"struct\",\"fields\":[{\"name\":\"DT\",\"type\":\"long\",\"nullable\":true,"
            + "\"metadata\":{}}]}");
    DeltaReplay log = DeltaReplay.of(table.store, table.paths);
    assertThat(log.version()).isEqualTo(-1);
  }
}
