package io.repave.hadoop.parquet;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.Table;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Schema;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Writes Delta logs of many versions with real checkpoints, for `campaigns.long_log`. */
@EnabledIfSystemProperty(named = "repave.delta.logs", matches = ".+")
class LongDeltaLogTest {
  private static final String SCHEMA =
      "{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\","
          + "\"nullable\":true,\"metadata\":{}}]}";
  private static final int PARTITIONS = 50;

  @Test
  void aLogOfManyVersionsIsWritten() throws Exception {
    Path folder = Path.of(System.getProperty("repave.delta.logs"));
    for (int versions : new int[] {100, 10_000}) {
      TestTable table = written(versions);
      Path to = folder.resolve("log-" + versions);
      int files = save(table, to);
      // A version each, a checkpoint for each hundred, and the pointer to the newest.
      assertThat(files).isGreaterThan(versions + versions / 100);
    }
  }

  private static TestTable written(int versions) throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "dt=0");
    Table process =
        table.open(
            table
                .process()
                .facts(end -> FileFacts.NONE.withSchema(Schema.of(SCHEMA)))
                .rows(ParquetLibrary.rows())
                .ports());
    process.follow(FollowerKind.DELTA);
    while (table.head().version() <= versions) {
      table.job(process, CommitKind.DYNAMIC, "dt=" + table.head().version() % PARTITIONS).commit();
    }
    return table;
  }

  private static int save(TestTable table, Path to) throws IOException {
    int files = 0;
    for (var object : table.store.objects().entrySet()) {
      if (table.paths.deltaLog().holds(object.getKey())) {
        Path at = to.resolve(table.paths.root().relative(object.getKey()));
        Files.createDirectories(at.getParent());
        Files.write(at, object.getValue().content());
        files++;
      }
    }
    return files;
  }
}
