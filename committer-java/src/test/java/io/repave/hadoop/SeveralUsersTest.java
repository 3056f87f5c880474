package io.repave.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.hadoop.upload.TaskAttempt;
import io.repave.testing.StubS3;
import io.repave.testing.TinyS3;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server runs the work of several users in one JVM, with {@code UserGroupInformation.doAs}. */
@Timeout(120)
class SeveralUsersTest {
  private StubS3 stub;

  @BeforeEach
  void start() throws IOException {
    stub = new StubS3(new TinyS3(TinyS3.Conditions.KEPT));
  }

  @AfterEach
  void stop() throws IOException {
    FileSystem.closeAll();
    stub.close();
  }

  /** A user with an access key of the same name. */
  private void as(String user, Write write) throws IOException, InterruptedException {
    Configuration conf = stub.configuration();
    conf.set("fs.repave.impl", RepaveFileSystem.class.getName());
    conf.set("fs.s3a.access.key", user);
    PrivilegedExceptionAction<Void> action =
        () -> {
          write.run(conf);
          return null;
        };
    UserGroupInformation.createRemoteUser(user).doAs(action);
  }

  private interface Write {
    void run(Configuration conf) throws IOException;
  }

  private static void write(Configuration conf) throws IOException {
    TaskAttempt task = TableAccess.of(conf, "s3a://lake/t").beginTask(Readers.SNAPSHOT);
    // One file for each thread of the pool, which starts a new one until it has all.
    int files = new RepaveSettings(conf).count(Setting.UPLOAD_THREADS);
    for (int i = 0; i < files; i++) {
      Location at = task.file("dt=" + i, conf.get("fs.s3a.access.key"));
      Path path = new Path(TableAccess.writerPath(at));
      path.getFileSystem(conf).create(path).close();
    }
    task.commit();
  }

  /** The threads that upload belong to the JVM, and may have been started for another user. */
  @Test
  void eachUsersFilesAreUploadedWithTheirOwnCredentials() throws Exception {
    List<String> users = List.of("alice", "bob", "carol");
    for (String user : users) {
      as(user, SeveralUsersTest::write);
    }

    assertThat(stub.requests()).hasSizeGreaterThan(users.size());
    for (StubS3.Request request : stub.requests()) {
      String file = request.uri().getPath().replaceAll(".*/", "");
      assertThat(request.header("Authorization")).contains("Credential=" + file + "/");
    }
  }
}
