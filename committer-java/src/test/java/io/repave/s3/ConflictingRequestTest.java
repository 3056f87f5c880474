package io.repave.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.RetryPolicy;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.hadoop.runtime.RequestRetry;
import io.repave.testing.StubS3;
import io.repave.testing.StubS3.Answer;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;

/** S3 answers 409 while it works on another request. The SDK does not repeat such a request. */
class ConflictingRequestTest {
  private static final RequestRetry RETRY = new RequestRetry(new RetryPolicy(2, 1, 1, 10_000));
  private static final ByteBuffer CONTENT = ByteBuffer.wrap(new byte[1]);

  /** A write without a condition. */
  private interface Write {
    String to(ObjectStore store) throws StoreException;
  }

  private static void assertSentAgain(Write write) throws Exception {
    AtomicBoolean isBusy = new AtomicBoolean(true);
    try (StubS3 stub =
            new StubS3(
                request ->
                    isBusy.getAndSet(false)
                        ? Answer.error(409, "OperationAborted", "Another one is in progress.")
                        : Answer.tagged(request.tag()));
        FileSystem files = stub.files("lake", stub.configuration())) {
      ObjectStore store = S3Stores.open(bucket -> files);

      assertThat(RETRY.send(() -> write.to(store))).isNotEmpty();

      assertThat(stub.requests()).hasSize(2);
    }
  }

  @Test
  void aRecordWhosePutConflictsIsPutAgain() throws Exception {
    Location ledger = new Location("lake", "t/_repave/commits/1/uploads.json.gz");
    assertSentAgain(store -> store.put(ledger, CONTENT));
  }

  @Test
  void aPartWhoseUploadConflictsIsUploadedAgain() throws Exception {
    Location file = new Location("lake", "t/dt=1/part-0");
    assertSentAgain(store -> store.uploadPart(file, "id", 1, CONTENT));
  }
}
