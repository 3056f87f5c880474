package io.repave.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.store.Content;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.testing.StubS3;
import io.repave.testing.StubS3.Answer;
import io.repave.testing.Unchecked;
import java.nio.ByteBuffer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that take longer than {@code fs.s3a.connection.request.timeout}, 60 s by default. */
@Timeout(60)
class SlowLineTest {
  private static Answer slowly(StubS3.Request request) {
    // S3A accepts no time-out of less than 15 s.
    Unchecked.run(() -> Thread.sleep(17_000));
    return Answer.tagged(request.tag());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1"})
  void aPartWithoutATimeOutOfItsOwnHasTheClients(String timeout) throws Exception {
    try (StubS3 stub = new StubS3(request -> Answer.tagged(request.tag()))) {
      Configuration conf = stub.configuration();
      conf.set("fs.s3a.connection.part.upload.timeout", timeout);
      try (FileSystem files = stub.files("lake", conf)) {
        ObjectStore store = S3Stores.open(bucket -> files);
        Content part = Content.of(ByteBuffer.wrap(new byte[100]));
        assertThat(store.uploadPart(new Location("lake", "t/part-0"), "id", 1, part)).isNotEmpty();
      }
    }
  }

  /** The client of SDK 1, in Hadoop 3.3, has no time-out of its own. */
  @Test
  @EnabledIf("io.repave.testing.AwsSdk#isTwo")
  void aFileOfOnePartMayTakeAsLongAsAPart() throws Exception {
    try (StubS3 stub = new StubS3(SlowLineTest::slowly)) {
      Configuration conf = stub.configuration();
      conf.set("fs.s3a.connection.request.timeout", "15s");
      try (FileSystem files = stub.files("lake", conf)) {
        ObjectStore store = S3Stores.open(bucket -> files);
        Content file = Content.of(ByteBuffer.wrap(new byte[2 << 20]));
        assertThat(store.put(new Location("lake", "t/part-0"), file)).isNotEmpty();
        assertThat(stub.requests()).hasSize(1);
      }
    }
  }
}
