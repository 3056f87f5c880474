package io.repave.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.Progress;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.hadoop.upload.TaskAttempt;
import io.repave.testing.StubS3;
import io.repave.testing.TinyS3;
import java.io.IOException;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** With {@code fs.s3a.impl.disable.cache}, Repave closes the file systems that it opens. */
@Timeout(120)
class UncachedFileSystemsTest {
  private static final AtomicInteger OPENED = new AtomicInteger();
  private static final Set<Counted> OPEN = ConcurrentHashMap.newKeySet();

  private StubS3 stub;
  private Configuration conf;

  /** An S3A file system that counts its instances. */
  public static final class Counted extends S3AFileSystem {
    @Override
    public void initialize(URI name, Configuration given) throws IOException {
      OPENED.incrementAndGet();
      OPEN.add(this);
      super.initialize(name, given);
    }

    @Override
    public void close() throws IOException {
      OPEN.remove(this);
      super.close();
    }
  }

  @BeforeEach
  void start() throws IOException {
    stub = new StubS3(new TinyS3(TinyS3.Conditions.KEPT));
    conf = stub.configuration();
    conf.set("fs.repave.impl", RepaveFileSystem.class.getName());
    conf.set("fs.s3a.impl", Counted.class.getName());
    conf.set("fs.s3a.impl.disable.cache", "true");
  }

  @AfterEach
  void stop() throws IOException {
    FileSystem.closeAll();
    stub.close();
  }

  /** A task's own configuration, with its own number. */
  private Configuration task(int number) {
    Configuration own = new Configuration(conf);
    own.setInt("mapreduce.task.partition", number);
    return own;
  }

  private static void write(Configuration own, String table) throws IOException {
    TaskAttempt task = TableAccess.of(own, table).beginTask(Readers.SNAPSHOT);
    Location at = task.file("dt=1", "part-0");
    Path path = new Path(TableAccess.writerPath(at));
    path.getFileSystem(own).create(path).close();
    task.commit();
  }

  /** Without the threads of uploads, which belong to the JVM and end when idle. */
  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !thread.getName().startsWith("repave-upload-"))
        .count();
  }

  @Test
  void tasksWithTheSameSettingsShareOneFileSystemAndItsThreads() throws Exception {
    for (int i = 0; i < 3; i++) {
      write(task(i), "s3a://lake/t" + i);
    }
    long threads = threads();
    int opened = OPENED.get();
    TableAccess held = TableAccess.of(conf, "s3a://lake/t0");
    assertThat(held.table(Progress.SILENT).head()).isEmpty();
    for (int i = 0; i < 40; i++) {
      write(task(i), "s3a://lake/t" + i);
    }
    // 40 of them would have 200 threads. The garbage collector may have closed one or two.
    assertThat(threads()).isLessThan(threads + 20);
    assertThat(OPENED.get() - opened).isLessThanOrEqualTo(3);
  }

  @Test
  void otherCredentialsAreAnotherFileSystem() throws Exception {
    TableAccess first = TableAccess.of(conf, "s3a://lake/t");
    assertThat(first.table(Progress.SILENT).head()).isEmpty();
    Configuration other = new Configuration(conf);
    other.set("fs.s3a.access.key", "somebody-else");

    assertThat(TableAccess.of(other, "s3a://lake/t").table(Progress.SILENT).head()).isEmpty();

    assertThat(stub.requests())
        .extracting(request -> request.header("Authorization").contains("somebody-else"))
        .containsExactly(false, true);
    assertThat(first.table(Progress.SILENT).head()).isEmpty();
  }

  @Test
  void aFileSystemIsClosedWhenAllWhoUsedItAreGone() throws Exception {
    write(conf, "s3a://lake/t");
    FileSystem.closeAll();

    assertThat(OPENED.get()).isPositive();
    for (int i = 0; !OPEN.isEmpty() && i < 600; i++) {
      System.gc();
      Thread.sleep(50);
    }
    assertThat(OPEN).isEmpty();
  }
}
