package io.repave.hadoop.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitId;
import io.repave.core.record.TablePaths;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.hadoop.TableAccess;
import io.repave.testing.EmbeddedS3;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Somebody who may write among the records of a MapReduce job adds the ledger of a task. */
@Tag("http")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ForgedLedgerHttpTest {
  private static final String OUTSIDE = "s3://lake/other";

  private EmbeddedS3 server;
  private Configuration conf;

  @BeforeAll
  void start() throws IOException {
    server = EmbeddedS3.start("ministack");
    server.createBucket("lake");
    conf = server.configuration(server.endpoint());
  }

  @AfterAll
  void stop() throws IOException {
    FileSystem.closeAll();
    server.close();
  }

  /** The only commit of a table, which is not decided yet. */
  private CommitId commit(TableAccess table) throws IOException {
    TablePaths paths = table.paths();
    for (ListedObject record : table.store().list(paths.commits(), "").objects()) {
      return paths.commitOf(new Location("lake", record.key())).orElseThrow();
    }
    throw new AssertionError("no task has stored a ledger in " + paths.commits());
  }

  private void forge(TableAccess table, String partition, String name) throws IOException {
    Location at = table.paths().commit(commit(table)).resolve(TablePaths.TASK + "forged-0");
    byte[] ledger =
        TestTable.taskLedger(List.of(Upload.existing(partition, name, 1, FileFacts.NONE)));
    table.store().put(at, ByteBuffer.wrap(ledger));
  }

  private TestSave save(String table, int number) throws Exception {
    TestSave save = new TestSave(conf, "s3a://lake/" + table, number);
    save.runTask(0, 0, "zero");
    return save;
  }

  @Test
  void anAbortDeletesNoFileThatAForgedLedgerNames() throws Exception {
    TestSave save = save("aborted", 1);
    TableAccess table = TableAccess.of(conf, "s3a://lake/aborted");
    ObjectStore store = table.store();
    Location victim = new Location("lake", "other/victim.parquet");
    store.put(victim, ByteBuffer.wrap(new byte[] {1}));
    forge(table, OUTSIDE, "victim.parquet");

    save.abort();

    assertThat(store.read(victim, 10)).isPresent();
    String left = server.get("/lake?list-type=2&prefix=aborted/");
    assertThat(left).doesNotContain("<Key>");
  }

  @Test
  void aJobRefusesAForgedLedgerOfAPartitionOutsideTheTable() throws Exception {
    TestSave save = save("committed", 2);
    TableAccess table = TableAccess.of(conf, "s3a://lake/committed");
    forge(table, OUTSIDE, PartFileName.of("", 7, commit(table).id(), 1, ".parquet"));

    assertThatThrownBy(save::commit)
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("'" + OUTSIDE + "'")
        .hasMessageContaining(table.paths().commit(commit(table)).toString());
    assertThat(server.get("/lake?list-type=2&prefix=committed/")).doesNotContain("head.json");
  }
}
