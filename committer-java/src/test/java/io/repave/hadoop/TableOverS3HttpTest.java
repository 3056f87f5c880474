package io.repave.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.Progress;
import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.hadoop.upload.TaskAttempt;
import io.repave.testing.EmbeddedS3;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Writes rows to S3 and reads them back, from a configuration and a path, like Spark. */
@Tag("http")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TableOverS3HttpTest {
  private EmbeddedS3 server;
  private Configuration conf;

  @BeforeAll
  void start() throws IOException {
    server = EmbeddedS3.start("ministack");
    server.createBucket("lake");
    server.createBucket("other");
    conf = server.configuration(server.endpoint());
    conf.set("fs.repave.impl", RepaveFileSystem.class.getName());
    conf.set("fs.s3.impl", "org.apache.hadoop.fs.s3a.S3AFileSystem");
    conf.set("repave.part.size", "5m");
  }

  @AfterAll
  void stop() throws IOException {
    FileSystem.closeAll();
    server.close();
  }

  /** Overwrites partitions with one file each, like tasks and driver. Returns the commit's id. */
  private String overwrite(Configuration job, String table, int bytes, String... partitions)
      throws IOException, InterruptedException {
    String commit = UUID.randomUUID().toString();
    TableAccess driver = TableAccess.of(job, table);
    Readers readers = driver.settings().readers().orElse(Readers.LISTING);
    WriteTransaction running =
        driver
            .table(Progress.SILENT)
            .begin(new CommitRequest(commit, CommitKind.DYNAMIC, List.of(), "", "_SUCCESS"));
    TaskAttempt task = TableAccess.of(job, table).beginTask(readers);
    for (String partition : partitions) {
      String name = PartFileName.of("", 0, commit, 3, ".txt");
      Location at =
          partition.startsWith("s3a:")
              ? task.file(TableAccess.location(new Path(partition)), name)
              : task.file(partition, name);
      Path path = new Path(TableAccess.writerPath(at));
      try (FSDataOutputStream out = path.getFileSystem(job).create(path, false)) {
        out.write(content(bytes));
        assertThat(out.getPos()).isEqualTo(bytes);
      }
      assertThat(path.getFileSystem(job).getFileStatus(path).getLen()).isEqualTo(bytes);
    }
    running.commit(new TaskLedgers(List.of(task.commit())));
    return commit;
  }

  private static byte[] content(int bytes) {
    byte[] content = new byte[bytes];
    new Random(bytes).nextBytes(content);
    return content;
  }

  private List<String> files(String folder) throws IOException {
    Path path = new Path(folder);
    return Arrays.stream(path.getFileSystem(conf).listStatus(path))
        .filter(FileStatus::isFile)
        .map(status -> status.getPath().getName())
        .filter(name -> !name.startsWith("_"))
        .toList();
  }

  private byte[] read(Path path) throws IOException, InterruptedException {
    try (FSDataInputStream in = path.getFileSystem(conf).openFile(path).build().get()) {
      return in.readAllBytes();
    } catch (java.util.concurrent.ExecutionException e) {
      throw new IOException(e);
    }
  }

  @Test
  void anOverwriteReplacesFilesThatPlainReadersList() throws Exception {
    String first = overwrite(conf, "s3a://lake/listing", 10, "dt=1", "dt=10");
    String second = overwrite(conf, "s3a://lake/listing/dt=1", 0, "dt=1");
    for (String scheme : List.of("s3a", "repave")) {
      assertThat(files(scheme + "://lake/listing/dt=1"))
          .singleElement()
          .asString()
          .contains(second);
      assertThat(files(scheme + "://lake/listing/dt=10"))
          .singleElement()
          .asString()
          .contains(first);
    }
  }

  @Test
  void partsArePutTogetherInOrder() throws Exception {
    int bytes = 2 * 5 * 1024 * 1024 + 1;
    overwrite(conf, "s3a://lake/large", bytes, "dt=1");
    Path partition = new Path("repave://lake/large/dt=1");
    FileStatus file = partition.getFileSystem(conf).listStatus(partition)[0];
    assertThat(file.getLen()).isEqualTo(bytes);
    assertThat(read(file.getPath())).isEqualTo(content(bytes));
  }

  @Test
  void aSnapshotTableIsReadByVersion() throws Exception {
    Configuration job = new Configuration(conf);
    job.set("repave.readers", "snapshot");
    String first = overwrite(job, "s3a://lake/snapshot", 10, "dt=1", "dt=2");
    String second = overwrite(job, "s3a://lake/snapshot", 5 * 1024 * 1024 + 1, "dt=2");
    assertThat(files("repave://lake/snapshot/dt=1")).singleElement().asString().contains(first);
    assertThat(files("repave://lake/snapshot/dt=2")).singleElement().asString().contains(second);
    Path root = new Path("repave://lake/snapshot");
    String pinned = root.getFileSystem(conf).listStatus(root)[0].getPath().toString();
    int version = Integer.parseInt(pinned.replaceFirst(".*/@v(\\d+)-[0-9a-f]{12}/.*", "$1"));
    assertThat(files("repave://lake/snapshot/@v" + (version - 1) + "/dt=2"))
        .singleElement()
        .asString()
        .contains(first);
  }

  @Test
  void partitionsWithAnyCharactersAndElsewhereWork() throws Exception {
    List<String> partitions =
        List.of("a=x y%2Fz%3D1%25/b=+", "a=ü/b=日本😀", "a=#?*\"/b={é[", "a=12:30/b=~'");
    List<String> all = new ArrayList<>(partitions);
    all.add("s3a://other/moved to/a=9");
    String commit = overwrite(conf, "s3a://lake/odd names", 7, all.toArray(String[]::new));
    for (String partition : partitions) {
      assertThat(files("repave://lake/odd names/" + partition))
          .as(partition)
          .singleElement()
          .asString()
          .contains(commit);
    }
    assertThat(files("s3a://other/moved to/a=9")).singleElement().asString().contains(commit);
  }

  @Test
  void theBucketsRootCanBeATable() throws Exception {
    server.createBucket("whole");
    String commit = overwrite(conf, "s3://whole/", 3, "dt=1", "dt=2");
    assertThat(files("repave://whole/dt=2")).singleElement().asString().contains(commit);
  }

  @Test
  void whatIsNotManagedIsRefused() {
    assertThatThrownBy(() -> TableAccess.of(conf, "file:///tmp/x"))
        .hasMessageContaining("repave.schemes");
    assertThatThrownBy(() -> TableAccess.of(conf, "s3a:///no-bucket"))
        .hasMessageContaining("names no bucket");
  }

  @Test
  void aWriteOutsideATaskIsRefused() throws IOException {
    Path path = new Path("repave://lake/listing/dt=1/x.parquet");
    FileSystem files = path.getFileSystem(conf);
    assertThatThrownBy(() -> files.create(path))
        .hasMessageContaining("spark.sql.sources.commitProtocolClass");
  }
}
