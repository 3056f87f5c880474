package io.repave.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.StubS3;
import io.repave.testing.StubS3.Answer;
import io.repave.testing.StubS3.Request;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.s3a.audit.AuditFailureException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;

/** What S3A's auditor writes about our requests into the log of the server. */
class AuditTest {
  private static final Location AT = new Location("lake", "t/a");

  private static final String BODY = "ab";
  private static final String MD5_OF_BODY = "187ef4436122d1cc2f40dc2b92f0eba0";

  private StubS3 stub;

  @BeforeEach
  void start() throws IOException {
    stub = new StubS3(AuditTest::answer);
  }

  /** An SDK may compare the tag with the MD5 of what it received or sent. */
  private static Answer answer(Request request) {
    String tag = request.method().equals("GET") ? MD5_OF_BODY : request.tag();
    return new Answer(200, Map.of("ETag", "\"" + tag + "\""), BODY);
  }

  @AfterEach
  void stop() {
    stub.close();
  }

  /** Work with a store. */
  private interface Work {
    void on(ObjectStore store) throws IOException, InterruptedException;
  }

  /** The members of the label of each request of one store. */
  private List<Map<String, String>> labels(Work work) throws IOException, InterruptedException {
    Configuration conf = stub.configuration();
    conf.setBoolean("fs.s3a.audit.enabled", true);
    conf.setBoolean("fs.s3a.audit.reject.out.of.span.operations", true);
    conf.setBoolean("fs.s3a.multiobjectdelete.enable", false);
    try (FileSystem files = stub.files("lake", conf)) {
      work.on(S3Stores.open(bucket -> files));
    }
    return stub.requests().stream().map(AuditTest::label).toList();
  }

  private static Map<String, String> label(Request request) {
    String referrer = request.header("Referer");
    Map<String, String> members = new HashMap<>();
    for (String member : referrer.substring(referrer.indexOf('?') + 1).split("&")) {
      members.put(member.split("=", 2)[0], member.split("=", 2)[1]);
    }
    return members;
  }

  @Test
  void theRequestsOfAStoreShareASpanInAllThreads() throws Exception {
    List<Map<String, String>> labels =
        labels(
            store -> {
              store.put(AT, ByteBuffer.wrap(new byte[1]));
              CompletableFuture.runAsync(
                      () -> assertThatNoException().isThrownBy(() -> store.read(AT, 2)))
                  .join();
              store.read(AT, 2);
            });

    assertThat(labels).hasSize(3).allMatch(label -> label.get("op").equals("op_repave"));
    assertThat(labels).extracting(label -> label.get("id")).containsOnly(labels.get(0).get("id"));
  }

  /** Older releases of Hadoop do not have the setting. */
  @Test
  @DisabledIf("io.repave.testing.AwsSdk#isOne")
  void anUploadThatTheAuditorForbidsFailsAtOnceAndTheSettingIsNamed() throws Exception {
    Configuration conf = stub.configuration();
    conf.setBoolean("fs.s3a.bucket.lake.multipart.uploads.enabled", false);
    try (FileSystem files = stub.files("lake", conf)) {
      ObjectStore store = S3Stores.open(bucket -> files);

      StoreException refused =
          catchThrowableOfType(StoreException.class, () -> store.createUpload(AT));
      assertThat(refused.kind()).isEqualTo(Kind.INVALID);
      assertThat(refused)
          .hasMessageContaining("was not sent: fs.s3a.multipart.uploads.enabled is off")
          .hasMessageContaining("Set fs.s3a.bucket.lake.multipart.uploads.enabled=true");
      assertThat(stub.requests()).isEmpty();
      assertThat(store.read(AT, 2)).isPresent();
    }
  }

  @Test
  void onlyARefusalOfUploadsIsReportedAsTheSettingOfUploads() {
    Exception other = new IOException(new AuditFailureException("unaudited operation"));
    assertThat(S3ErrorMapper.isRefusedByAuditor(other)).isTrue();
    assertThat(S3ErrorMapper.isForbiddenUpload(other)).isFalse();
  }

  @Test
  void aRangeAndANumberOfKeysAreInNoOtherLabel() throws Exception {
    List<Map<String, String>> labels =
        labels(
            store -> {
              store.readRange(AT, 0, 2);
              store.delete(List.of(AT));
              store.read(AT, 2);
            });

    assertThat(labels).hasSize(3).allMatch(label -> label.get("op").equals("op_repave"));
    assertThat(labels.get(0)).doesNotContainKey("ks");
    assertThat(labels.get(1)).doesNotContainKey("rg");
    assertThat(labels.get(2)).doesNotContainKeys("rg", "ks");
  }
}
