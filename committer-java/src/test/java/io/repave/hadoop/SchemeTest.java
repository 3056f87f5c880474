package io.repave.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.Progress;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.hadoop.upload.TaskAttempt;
import io.repave.testing.StubS3;
import io.repave.testing.TinyS3;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code repave.schemes}: the requests of each scheme use its own file system. */
class SchemeTest {
  private StubS3 first;
  private StubS3 second;
  private Configuration conf;

  /** S3A for another scheme, with its own endpoint. */
  public static final class OtherConnector extends S3AFileSystem {
    @Override
    public void initialize(URI name, Configuration given) throws IOException {
      Configuration own = new Configuration(given);
      own.set("fs.s3a.endpoint", given.get("fs.other.endpoint"));
      super.initialize(name, own);
    }
  }

  @BeforeEach
  void start() throws IOException {
    first = new StubS3(new TinyS3(TinyS3.Conditions.KEPT));
    second = new StubS3(new TinyS3(TinyS3.Conditions.KEPT));
    conf = first.configuration();
    conf.set("fs.repave.impl", RepaveFileSystem.class.getName());
    conf.set("fs.other.endpoint", second.configuration().get("fs.s3a.endpoint"));
    conf.set("fs.s3.impl", OtherConnector.class.getName());
    conf.set("fs.minio.impl", OtherConnector.class.getName());
  }

  @AfterEach
  void stop() throws IOException {
    FileSystem.closeAll();
    first.close();
    second.close();
  }

  /** Writes a file of a snapshot table, which is one request. */
  private void write(String table) throws IOException {
    TaskAttempt task = TableAccess.of(conf, table).beginTask(Readers.SNAPSHOT);
    Location at = task.file("dt=1", "part-0");
    Path path = new Path(TableAccess.writerPath(at));
    path.getFileSystem(conf).create(path).close();
    task.commit();
  }

  @Test
  void eachSchemeUsesTheFileSystemThatIsConfiguredForIt() throws Exception {
    assertThat(TableAccess.of(conf, "s3a://lake/t").table(Progress.SILENT).head()).isEmpty();
    assertThat(first.requests()).hasSize(1);
    assertThat(second.requests()).isEmpty();

    assertThat(TableAccess.of(conf, "s3://lake/t").table(Progress.SILENT).head()).isEmpty();
    assertThat(first.requests()).hasSize(1);
    assertThat(second.requests()).hasSize(1);
  }

  @Test
  void tasksWriteByTheSchemeOfTheirTableToo() throws IOException {
    write("s3://lake/t");
    assertThat(first.requests()).isEmpty();
    assertThat(second.requests())
        .extracting(request -> request.method() + " " + request.uri().getPath())
        .containsExactly("PUT /lake/t/dt=1/part-0");

    write("s3a://lake/t");
    assertThat(first.requests()).hasSize(1);
  }

  @Test
  void aSchemeIsManagedWhenItIsListedAndNotOtherwise() throws Exception {
    assertThatThrownBy(() -> TableAccess.of(conf, "minio://lake/t"))
        .hasMessageContaining("repave.schemes lists s3a,s3,s3n");

    conf.set("repave.schemes", "minio");

    assertThat(TableAccess.of(conf, "minio://lake/t").table(Progress.SILENT).head()).isEmpty();
    assertThat(second.requests()).hasSize(1);
    assertThatThrownBy(() -> TableAccess.of(conf, "s3a://lake/t"))
        .hasMessageContaining("repave.schemes lists minio");
  }

  @Test
  void aSchemeWithoutAFileSystemIsNamedWithTheSettingThatIsMissing() {
    conf.set("repave.schemes", "minio");
    conf.unset("fs.minio.impl");

    assertThatThrownBy(() -> TableAccess.of(conf, "minio://lake/t").table(Progress.SILENT).head())
        .hasMessageContaining("fs.minio.impl")
        .hasMessageContaining("org.apache.hadoop.fs.s3a.S3AFileSystem")
        .hasMessageContaining("repave.schemes");
  }
}
