package io.repave.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.Readers;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.TableAccess;
import io.repave.spark.write.WriteTarget;
import io.repave.testing.EmbeddedS3;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import scala.Option;

@Tag("http")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StoredMessageHttpTest {
  private static final String RECORDS = "sales/_repave/commits/one";

  private EmbeddedS3 server;
  private Configuration conf;

  @BeforeAll
  void start() throws IOException {
    server = EmbeddedS3.start("ministack");
    server.createBucket("lake");
    conf = server.configuration(server.endpoint());
    conf.set("fs.repave.impl", RepaveFileSystem.class.getName());
    conf.set("repave.message.size", "0");
  }

  @AfterAll
  void stop() throws IOException {
    FileSystem.closeAll();
    server.close();
  }

  /** The driver may have aborted the job before, and deletes nothing afterwards. */
  @Test
  void aTaskThatIsAbortedDeletesTheMessageThatItStored() throws Exception {
    WriteTarget target = WriteTarget.of(UUID.randomUUID().toString(), "s3a://lake/sales", false);
    BegunWrite begun = new BegunWrite(target, RECORDS, "", Readers.LISTING);
    TaskAttemptID id = new TaskAttemptID("20261121", 0, TaskType.MAP, 3, 7);
    TaskWrites task = new TaskWrites(begun, new TaskAttemptContextImpl(conf, id));
    Path path = new Path(task.file(Option.apply("dt=1"), "", ".txt"));
    try (FSDataOutputStream out = path.getFileSystem(conf).create(path)) {
      out.write(1);
    }
    task.commit();
    assertThat(records()).containsExactly(RECORDS + "/task-00003-7");
    task.abort();
    assertThat(records()).isEmpty();
  }

  private List<String> records() throws IOException {
    Location folder = new Location("lake", RECORDS);
    return TableAccess.of(conf, "s3a://lake/sales").store().list(folder, "").objects().stream()
        .map(ListedObject::key)
        .toList();
  }
}
