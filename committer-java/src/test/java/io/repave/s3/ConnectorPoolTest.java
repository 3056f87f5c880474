package io.repave.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.PendingUpload;
import io.repave.testing.StubS3;
import io.repave.testing.StubS3.Answer;
import io.repave.testing.StubS3.Request;
import io.repave.testing.ThreadedRunner;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;

/** S3A's own pool is small and shared by all writers, so Repave's requests must not use it. */
class ConnectorPoolTest {
  private static final int AT_ONCE = 24;
  private static final int ROUNDS = 2;

  @Test
  void asManyRequestsAreUnderWayAsTheCallerHasThreads() throws Exception {
    AtomicInteger met = new AtomicInteger();
    CyclicBarrier together = new CyclicBarrier(AT_ONCE);
    try (StubS3 stub = new StubS3(request -> answer(request, together, met))) {
      Configuration conf = stub.configuration();
      conf.setInt("fs.s3a.threads.max", 2);
      conf.setInt("fs.s3a.max.total.tasks", 1);
      conf.setInt("fs.s3a.executor.capacity", 1);
      conf.setInt("fs.s3a.connection.maximum", AT_ONCE);
      try (FileSystem files = stub.files("lake", conf)) {
        ObjectStore store = S3Stores.open(bucket -> files);

        new ThreadedRunner(AT_ONCE)
            .each(IntStream.range(0, AT_ONCE).iterator(), number -> upload(store, number));
      }
    }
    assertThat(met).hasValue(ROUNDS * AT_ONCE);
  }

  private static void upload(ObjectStore store, int number) throws java.io.IOException {
    Location at = new Location("lake", "t/" + number);
    String tag = store.uploadPart(at, "id", 1, ByteBuffer.wrap(new byte[1]));
    store.complete(new PendingUpload(at, "id", 1, List.of(tag)));
  }

  /** The server responds to the parts, and then to the Completes, once all have arrived. */
  private static Answer answer(Request request, CyclicBarrier together, AtomicInteger met) {
    try {
      together.await(45, TimeUnit.SECONDS);
      met.incrementAndGet();
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      return Answer.error(400, "Alone", "the others did not come");
    }
    return request.method().equals("PUT")
        ? Answer.tagged(request.tag())
        : Answer.of(
            200, "<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>");
  }
}
