package io.repave.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.testing.StubS3;
import io.repave.testing.TinyS3;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Programs close the file system that Hadoop's cache gives to everybody. */
@Timeout(120)
class ClosedFileSystemTest {
  private StubS3 stub;
  private Configuration conf;

  @BeforeEach
  void start() throws IOException {
    stub = new StubS3(new TinyS3(TinyS3.Conditions.KEPT));
    conf = stub.configuration();
    conf.set("repave.retry.budget", "3s");
  }

  @AfterEach
  void stop() throws IOException {
    FileSystem.closeAll();
    stub.close();
  }

  @Test
  void aJobGoesOnWithANewFileSystemWhenSomebodyHasClosedItsOwn() throws IOException {
    TableAccess access = TableAccess.of(conf, "s3a://lake/t");
    ObjectStore store = access.store();
    Location at = new Location("lake", "t/a");
    store.put(at, ByteBuffer.wrap(new byte[] {7}));

    new Path("s3a://lake/").getFileSystem(conf).close();

    assertThat(access.retry().send(() -> store.read(at, 10)).orElseThrow().content())
        .containsExactly(7);
  }

  /** S3A's auditor creates no span for a file system that is closed. */
  @Test
  void aRequestWithASpanOfItsOwnGoesOnToo() throws IOException {
    TableAccess access = TableAccess.of(conf, "s3a://lake/t");
    ObjectStore store = access.store();
    Location at = new Location("lake", "t/a");
    store.put(at, ByteBuffer.wrap(new byte[] {7}));

    new Path("s3a://lake/").getFileSystem(conf).close();
    assertThat(access.retry().send(() -> store.readRange(at, 0, 1)).orElseThrow())
        .containsExactly(7);

    new Path("s3a://lake/").getFileSystem(conf).close();
    assertThat(access.retry().send(() -> store.delete(List.of(at)))).isEmpty();
    assertThat(store.read(at, 10)).isEmpty();
  }
}
