package io.repave.hadoop.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.spark.sql.catalyst.InternalRow;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which committer Hadoop's output formats of the new API get. */
class RepaveCommitterFactoryTest {
  /** Other tests would get the file systems of this one, which have no credentials. */
  @AfterAll
  static void closeFileSystems() throws IOException {
    FileSystem.closeAll();
  }

  private static PathOutputCommitter committer(String defaultFileSystem, String output)
      throws IOException {
    return committer(new Configuration(), defaultFileSystem, output);
  }

  private static PathOutputCommitter committer(
      Configuration conf, String defaultFileSystem, String output) throws IOException {
    conf.set("fs.defaultFS", defaultFileSystem);
    conf.set("fs.s3a.endpoint.region", "us-east-1");
    for (String scheme : new String[] {"s3a", "null"}) {
      conf.set(
          "mapreduce.outputcommitter.factory.scheme." + scheme,
          RepaveCommitterFactory.class.getName());
    }
    Path path = new Path(output);
    TaskAttemptContext task = new TaskAttemptContextImpl(conf, new TaskAttemptID());
    return PathOutputCommitterFactory.createCommitter(path, task);
  }

  @ParameterizedTest
  @ValueSource(strings = {"s3a://lake/logs/dt=1", "/logs/dt=1"})
  void aPathOnS3IsCommittedByRepaveWithOrWithoutItsScheme(String output) throws IOException {
    PathOutputCommitter committer = committer("s3a://lake", output);
    assertThat(committer).isInstanceOf(RepaveCommitter.class);
    assertThat(committer.getOutputPath()).isEqualTo(new Path("s3a://lake/logs/dt=1"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/logs/dt=1", "/logs/_temporary/0", "file:/logs/dt=1"})
  void aPathWithoutASchemeIsHadoopsWhereTheDefaultIsAnotherFileSystem(String output)
      throws IOException {
    assertThat(committer("file:///", output)).isExactlyInstanceOf(FileOutputCommitter.class);
  }

  @Test
  void aStagingFolderOnS3IsHadoops() throws IOException {
    assertThat(committer("s3a://lake", "/logs/_temporary/0"))
        .isExactlyInstanceOf(FileOutputCommitter.class);
  }

  @Test
  void aDataFrameThatAnotherProtocolWritesIsHadoops() throws IOException {
    Configuration conf = new Configuration();
    conf.set("mapreduce.job.output.value.class", InternalRow.class.getName());
    assertThat(committer(conf, "s3a://lake", "s3a://lake/logs/dt=1"))
        .isExactlyInstanceOf(FileOutputCommitter.class);
  }
}
