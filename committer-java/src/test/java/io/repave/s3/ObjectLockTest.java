package io.repave.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.testing.StubS3;
import io.repave.testing.StubS3.Answer;
import io.repave.testing.StubS3.Request;
import io.repave.testing.TinyS3;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.HexFormat;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** A bucket with Object Lock takes only what comes with a checksum, and only if it is right. */
class ObjectLockTest {
  private static final Location RECORDS = new Location("lake", "t/_repave");

  /** As S3 answers for such a bucket. */
  private static final class Locked implements Function<Request, Answer> {
    private final TinyS3 store = new TinyS3(TinyS3.Conditions.KEPT);

    @Override
    public Answer apply(Request request) {
      if (request.method().equals("PUT")) {
        String md5 = request.header("Content-MD5");
        if (md5 == null) {
          return Answer.error(
              400,
              "InvalidRequest",
              "Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests with"
                  + " Object Lock parameters");
        }
        if (!HexFormat.of().formatHex(Base64.getDecoder().decode(md5)).equals(request.tag())) {
          return Answer.error(400, "BadDigest", "The Content-MD5 is not that of the content");
        }
      }
      return store.apply(request);
    }
  }

  @Test
  void recordsFilesAndPartsAreTaken() throws Exception {
    try (StubS3 stub = new StubS3(new Locked());
        FileSystem files = stub.files("lake", stub.configuration())) {
      ObjectStore store = S3Stores.open(bucket -> files);

      assertThat(new CapabilityProbe(store, RECORDS).run().missing()).isEmpty();
      Location at = new Location("lake", "t/dt=1/part-0");
      ByteBuffer content = ByteBuffer.wrap("some rows".getBytes()).position(5);
      assertThat(store.put(at, content)).isNotEmpty();
      assertThat(store.uploadPart(at, "id", 1, content)).isNotEmpty();
      assertThat(content.remaining()).as("a buffer can be sent again").isEqualTo(4);
    }
  }

  /** Shows that the server refuses: by the connector's own way, which has no checksum. */
  @Test
  void theConnectorAloneIsRefused() throws IOException {
    try (StubS3 stub = new StubS3(new Locked())) {
      Configuration conf = stub.configuration();
      conf.set("fs.s3a.create.performance", "true");
      try (FileSystem files = stub.files("lake", conf)) {
        assertThatThrownBy(() -> files.create(new Path("/t/file"), true).close())
            .hasMessageContaining("Content-MD5");
      }
    }
  }
}
