package io.repave.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.hadoop.runtime.BoundedParallelRunner;
import io.repave.testing.StubS3;
import io.repave.testing.StubS3.Answer;
import io.repave.testing.StubS3.Request;
import io.repave.testing.TinyS3;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.HexFormat;
import java.util.function.Function;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;

/** A bucket with Object Lock accepts only writes with a correct checksum. */
class ObjectLockTest {
  private static final Location RECORDS = new Location("lake", "t/_repave");

  /** The response of S3 for such a bucket. */
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

      assertThat(
              new CapabilityProbe(
                      store, RECORDS, new BoundedParallelRunner("probe", CapabilityProbe.RACERS))
                  .run()
                  .missing())
          .isEmpty();
      Location at = new Location("lake", "t/dt=1/part-0");
      ByteBuffer content = ByteBuffer.wrap("some rows".getBytes()).position(5);
      assertThat(store.put(at, content)).isNotEmpty();
      assertThat(store.uploadPart(at, "id", 1, content)).isNotEmpty();
      assertThat(content.remaining()).as("a buffer can be sent again").isEqualTo(4);
    }
  }

  /** Shows that the server refuses. Older SDKs add a checksum themselves, newer ones do not. */
  @Test
  void aPutWithoutAChecksumIsRefused() throws Exception {
    try (StubS3 stub = new StubS3(new Locked())) {
      URI at = URI.create(stub.configuration().get("fs.s3a.endpoint") + "/lake/t/file");
      HttpRequest put = HttpRequest.newBuilder(at).PUT(BodyPublishers.ofString("rows")).build();

      HttpResponse<String> answer = HttpClient.newHttpClient().send(put, BodyHandlers.ofString());

      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(answer.body()).contains("Content-MD5");
    }
  }
}
