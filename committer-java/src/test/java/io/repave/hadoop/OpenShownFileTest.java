package io.repave.hadoop;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.repave.testing.StubS3;
import io.repave.testing.TinyS3;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** S3A compares the name of a status with the name of the file that it opens. */
class OpenShownFileTest {
  @Test
  void aFileOfATableThatACatalogFollowsIsOpenedWithItsStatus() throws Exception {
    try (StubS3 stub = new StubS3(new TinyS3(TinyS3.Conditions.KEPT))) {
      Configuration conf = stub.configuration();
      conf.set("fs.repave.impl", RepaveFileSystem.class.getName());
      String commit = "11111111-1111-4111-8111-111111111111";
      Path shown =
          new Path("repave://lake/t/dt=1/@" + commit + "~part-00000-" + commit + "-1.c000.parquet");
      FileStatus status = new FileStatus(10, false, 1, 1 << 20, 0, shown);
      FileSystem files = shown.getFileSystem(conf);
      assertThatCode(
              () ->
                  files
                      .openFile(shown)
                      .opt("fs.option.openfile.read.policy", "random")
                      .withFileStatus(status)
                      .build()
                      .get()
                      .close())
          .doesNotThrowAnyException();
      FileSystem.closeAll();
    }
  }
}
