package io.repave.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchException;

import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import io.repave.testing.StubS3;
import io.repave.testing.StubS3.Answer;
import io.repave.testing.StubS3.Request;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.s3a.auth.delegation.EncryptionSecrets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Repave's requests have the headers that the user configured for s3a. */
class WriteSettingsTest {
  private static final Location AT = new Location("lake", "t/a");
  private static final String SSE = "x-amz-server-side-encryption";
  private static final String KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
  private static final String KEY_MD5 = "KYvwGXoFFJ42a2u2GDWhwQ==";

  private StubS3 stub;
  private Configuration conf;

  @BeforeEach
  void start() throws IOException {
    stub = new StubS3(WriteSettingsTest::answer);
    conf = stub.configuration();
  }

  @AfterEach
  void stop() {
    stub.close();
  }

  private static Answer answer(Request request) {
    if (!request.method().equals("POST")) {
      return Answer.tagged(request.tag());
    }
    return "uploads".equals(query(request))
        ? Answer.of(
            200,
            "<InitiateMultipartUploadResult><UploadId>id</UploadId></InitiateMultipartUploadResult>")
        : Answer.of(
            200, "<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>");
  }

  private static String query(Request request) {
    String query = request.uri().getQuery();
    return query == null ? "" : query.replace("=", "");
  }

  /** The requests of a write, by name. */
  private Map<String, Request> written() throws IOException {
    return written(AT);
  }

  private Map<String, Request> written(Location at) throws IOException {
    try (FileSystem files = stub.files("lake", conf)) {
      ObjectStore store = S3Stores.open(bucket -> files);
      ByteBuffer content = ByteBuffer.wrap(new byte[] {1, 2, 3});
      store.createUpload(at);
      store.uploadPart(at, "id", 1, content);
      store.put(at, content);
      store.putIfAbsent(at, content);
      store.putIfMatch(at, content, "e");
      store.head(at);
      store.read(at, 10);
      store.complete(new PendingUpload(at, "id", 3, List.of("e")));
    }
    List<Request> sent = stub.requests();
    assertThat(sent).hasSize(8);
    return Map.of(
        "create", sent.get(0),
        "part", sent.get(1),
        "put", sent.get(2),
        "put if absent", sent.get(3),
        "put if match", sent.get(4),
        "head", sent.get(5),
        "read", sent.get(6),
        "complete", sent.get(7));
  }

  /** Only requests that start an object have the header. */
  private static void assertOnWrites(Map<String, Request> sent, String header, String value) {
    sent.forEach(
        (call, request) ->
            assertThat(request.header(header))
                .as("%s of %s", header, call)
                .isEqualTo(call.matches("create|put.*") ? value : null));
  }

  @Test
  void withoutSettingsNothingIsAdded() throws IOException {
    Map<String, Request> sent = written();

    assertThat(sent.values())
        .allSatisfy(
            request ->
                assertThat(request.headers().keySet()).noneMatch(name -> name.contains(SSE)));
    assertOnWrites(sent, "x-amz-acl", null);
    assertOnWrites(sent, "x-amz-storage-class", null);
    assertThat(sent.get("put if absent").header("If-None-Match")).isEqualTo("*");
    assertThat(sent.get("put if match").header("If-Match")).isEqualTo("\"e\"");
    assertThat(sent.get("put").headers()).doesNotContainKeys("if-match", "if-none-match");
  }

  @Test
  void keysOfS3ReachCreateAndPut() throws IOException {
    conf.set("fs.s3a.encryption.algorithm", "AES256");

    assertOnWrites(written(), SSE, "AES256");
  }

  @Test
  void keysOfKmsReachCreateAndPut() throws IOException {
    conf.set("fs.s3a.encryption.algorithm", "SSE-KMS");
    conf.set("fs.s3a.encryption.key", "arn:aws:kms:us-east-1:1:key/2");

    Map<String, Request> sent = written();

    assertOnWrites(sent, SSE, "aws:kms");
    assertOnWrites(sent, SSE + "-aws-kms-key-id", "arn:aws:kms:us-east-1:1:key/2");
  }

  @Test
  void aBucketsOwnSettingsWin() throws IOException {
    conf.set("fs.s3a.encryption.algorithm", "AES256");
    conf.set("fs.s3a.bucket.lake.encryption.algorithm", "SSE-KMS");
    conf.set("fs.s3a.bucket.lake.encryption.key", "lake-key");
    conf.set("fs.s3a.bucket.other.encryption.key", "other-key");

    Map<String, Request> sent = written();

    assertOnWrites(sent, SSE, "aws:kms");
    assertOnWrites(sent, SSE + "-aws-kms-key-id", "lake-key");
  }

  @Test
  void theCustomersKeyGoesWithContentAndWithItsCompletion() throws IOException {
    conf.set("fs.s3a.encryption.algorithm", "SSE-C");
    conf.set("fs.s3a.encryption.key", KEY);

    written()
        .forEach(
            (call, request) -> {
              assertThat(request.header(SSE + "-customer-algorithm")).as(call).isEqualTo("AES256");
              assertThat(request.header(SSE + "-customer-key")).as(call).isEqualTo(KEY);
              assertThat(request.header(SSE + "-customer-key-MD5")).as(call).isEqualTo(KEY_MD5);
              assertThat(request.header(SSE)).as(call).isNull();
            });
  }

  @Test
  void accessListStorageClassAndEncodingReachCreateAndPut() throws IOException {
    conf.set("fs.s3a.acl.default", "BucketOwnerFullControl");
    conf.set("fs.s3a.create.storage.class", "intelligent_tiering");
    conf.set("fs.s3a.object.content.encoding", "gzip");

    Map<String, Request> sent = written();

    assertOnWrites(sent, "x-amz-acl", "bucket-owner-full-control");
    assertOnWrites(sent, "x-amz-storage-class", "INTELLIGENT_TIERING");
    assertThat(sent.get("create").header("Content-Encoding")).isEqualTo("gzip");
    // If the SDK signs in chunks, this header says so.
    assertThat(sent.get("put").header("Content-Encoding")).endsWith("gzip");
  }

  /** A bucket with Object Lock refuses objects and parts without a checksum. */
  @Test
  void everythingThatIsWrittenHasAChecksum() throws IOException {
    written()
        .forEach(
            (call, request) ->
                assertThat(request.header("Content-MD5"))
                    .as(call)
                    .isEqualTo(call.matches("put.*|part") ? "Uonfc331cyb83SJZevsfrA==" : null));
  }

  @Test
  void tagsReachCreateAndPut() throws IOException {
    conf.set("fs.s3a.object.tags", "team=lake & co, kept");
    conf.set("fs.s3a.object.tag.cost-center", "12");
    conf.set("fs.s3a.bucket.lake.object.tag.team", "lake");

    assertOnWrites(written(), "x-amz-tagging", "cost-center=12&kept=&team=lake");

    stub.requests().clear();
    conf.unset("fs.s3a.bucket.lake.object.tag.team");
    assertOnWrites(written(), "x-amz-tagging", "cost-center=12&kept=&team=lake%20%26%20co");
  }

  /** A record in an archive class could not be read, which would block all jobs. */
  @Test
  void storageClassEncodingAndTagsDoNotReachRecords() throws IOException {
    conf.set("fs.s3a.encryption.algorithm", "AES256");
    conf.set("fs.s3a.acl.default", "BucketOwnerFullControl");
    conf.set("fs.s3a.create.storage.class", "glacier");
    conf.set("fs.s3a.object.content.encoding", "gzip");
    conf.set("fs.s3a.object.tags", "retention=short");

    for (String key : List.of("t/_repave/head.json", "_repave/commits/1/uploads.json.gz")) {
      stub.requests().clear();
      Map<String, Request> sent = written(new Location("lake", key));

      assertOnWrites(sent, "x-amz-storage-class", null);
      assertOnWrites(sent, "x-amz-tagging", null);
      assertThat(sent.get("create").header("Content-Encoding")).isNull();
      assertThat(sent.get("put").headers().getOrDefault("content-encoding", ""))
          .doesNotContain("gzip");
      assertOnWrites(sent, SSE, "AES256");
      assertOnWrites(sent, "x-amz-acl", "bucket-owner-full-control");
    }
  }

  /** Only a folder with exactly this name contains records. */
  @Test
  void theStorageClassReachesAFolderWhoseNameOnlyResembles() throws IOException {
    conf.set("fs.s3a.create.storage.class", "glacier");

    for (String key : List.of("t_repave/a", "t/_repave2/a", "t/x/_repave")) {
      stub.requests().clear();
      assertOnWrites(written(new Location("lake", key)), "x-amz-storage-class", "GLACIER");
    }
  }

  @Test
  void aSessionTokenSignsOurRequests() throws IOException {
    conf.set("fs.s3a.session.token", "the-token");
    conf.set(
        "fs.s3a.aws.credentials.provider",
        "org.apache.hadoop.fs.s3a.TemporaryAWSCredentialsProvider");

    assertThat(written().values())
        .allSatisfy(
            request -> assertThat(request.header("x-amz-security-token")).isEqualTo("the-token"));
  }

  @Test
  void strictAuditingLetsOurRequestsPass() throws IOException {
    conf.setBoolean("fs.s3a.audit.enabled", true);
    conf.setBoolean("fs.s3a.audit.reject.out.of.span.operations", true);

    assertThat(written().get("put").header("Referer")).contains("op_repave");
  }

  /** A setting of Hadoop 3.5. Older releases do not have it. */
  @Test
  void theContextOfKmsReachesCreateAndPutWhereHadoopKnowsIt() throws IOException {
    conf.set("fs.s3a.encryption.algorithm", "SSE-KMS");
    conf.set("fs.s3a.encryption.key", "a-key");
    conf.set("fs.s3a.encryption.context", "team=lake");
    boolean isKnown =
        Arrays.stream(EncryptionSecrets.class.getMethods())
            .anyMatch(method -> method.getName().equals("getEncryptionContext"));

    String context = Base64.getEncoder().encodeToString("{\"team\":\"lake\"}".getBytes(UTF_8));

    assertOnWrites(written(), SSE + "-context", isKnown ? context : null);
  }

  @Test
  void aStoreWithoutDeleteObjectsIsAskedForEachKeyWhenTheUserSaysSo() throws IOException {
    conf.setBoolean("fs.s3a.multiobjectdelete.enable", false);
    stub.answer(request -> StubS3.Answer.of(204, ""));
    try (FileSystem files = stub.files("lake", conf)) {
      ObjectStore store = S3Stores.open(bucket -> files);

      assertThat(store.delete(List.of(AT, new Location("lake", "t/other")))).isEmpty();
    }
    assertThat(stub.requests())
        .extracting(request -> request.method() + " " + request.uri().getPath())
        .containsExactly("DELETE /lake/" + AT.key(), "DELETE /lake/t/other");
  }

  /** Google's XML API answers 404 to the DELETE of an absent key. */
  @Test
  void aKeyThatIsGoneCountsAsDeletedInADeleteOfOneKey() throws IOException {
    Location other = new Location("lake", "t/other");
    Set<String> keys = ConcurrentHashMap.newKeySet();
    keys.addAll(List.of("/lake/" + AT.key(), "/lake/t/other"));
    AtomicBoolean isCut = new AtomicBoolean(true);
    stub.answer(
        request -> {
          boolean existed = keys.remove(request.uri().getPath());
          if (keys.isEmpty() && isCut.getAndSet(false)) {
            throw new IllegalStateException("the stub drops this connection");
          }
          return existed ? Answer.of(204, "") : Answer.error(404, "NoSuchKey", "not here");
        });
    conf.setBoolean("fs.s3a.multiobjectdelete.enable", false);
    try (FileSystem files = stub.files("lake", conf)) {
      ObjectStore store = S3Stores.open(bucket -> files);

      assertThatThrownBy(() -> store.delete(List.of(AT, other)))
          .hasMessageContaining("not known whether it was applied");
      assertThat(store.delete(List.of(AT, other))).isEmpty();
    }
    assertThat(stub.requests())
        .extracting(request -> request.uri().getPath())
        .containsExactly(
            "/lake/" + AT.key(), "/lake/t/other", "/lake/" + AT.key(), "/lake/t/other");
  }

  @Test
  void aDeleteOfOneKeyInAnAbsentBucketIsNoDelete() throws IOException {
    stub.answer(request -> Answer.error(404, "NoSuchBucket", "not here"));
    conf.setBoolean("fs.s3a.multiobjectdelete.enable", false);
    try (FileSystem files = stub.files("lake", conf)) {
      ObjectStore store = S3Stores.open(bucket -> files);

      assertThatThrownBy(() -> store.delete(List.of(AT)))
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.ABSENT));
    }
  }

  @Test
  void encryptionInTheClientIsRefusedInASentence() {
    assertThatThrownBy(() -> WriteSettings.encryption("CSE_KMS", "a-key", ""))
        .hasMessageContaining("CSE_KMS")
        .hasMessageContaining("another process cannot complete")
        .hasMessageContaining("Use SSE-S3, SSE-KMS, DSSE-KMS or SSE-C");
  }

  @Test
  void checksumsOfPartsAreRefusedUnlessTheBucketTurnsThemOff() throws IOException {
    conf.setBoolean("fs.s3a.checksum.generation", true);
    try (FileSystem files = stub.files("lake", conf)) {
      assertThatThrownBy(() -> S3Stores.open(bucket -> files).head(AT))
          .hasMessageContaining("fs.s3a.bucket.lake.checksum.generation=false");
    }
    conf.setBoolean("fs.s3a.bucket.lake.checksum.generation", false);
    assertThat(written()).hasSize(8);
  }

  /** The SDK adds them from 2.30 on, if S3A is older than 3.4.3. */
  @Test
  void checksumsOfPartsThatTheValidationOfDownloadsAddsAreRefused() throws IOException {
    conf.setBoolean("fs.s3a.checksum.validation", true);
    try (FileSystem files = stub.files("lake", conf)) {
      ObjectStore store = S3Stores.open(bucket -> files);

      Exception refused =
          catchException(() -> store.uploadPart(AT, "id", 1, ByteBuffer.wrap(new byte[1])));

      if (refused == null) {
        assertThat(stub.requests().get(0).headers().keySet())
            .noneMatch(name -> name.contains("checksum") || name.contains("trailer"));
      } else {
        assertThat(refused).hasMessageContaining("fs.s3a.bucket.lake.checksum.validation=false");
        assertThat(stub.requests()).isEmpty();
      }
    }
  }

  @Test
  void aDirectoryBucketIsRefusedByItsName() throws IOException {
    try (FileSystem files = stub.files("lake--use1-az4--x-s3", conf)) {
      assertThatThrownBy(() -> S3Stores.open(bucket -> files).head(AT))
          .hasMessageContaining("is a directory bucket (S3 Express One Zone)")
          .hasMessageContaining("Use a general purpose bucket");
    }
  }

  @Test
  void aFileSystemThatIsNotS3aIsRefusedInASentence() throws IOException {
    try (FileSystem local = new RawLocalFileSystem()) {
      local.initialize(URI.create("file:///"), conf);
      ObjectStore store = S3Stores.open(bucket -> local);

      assertThatThrownBy(() -> store.head(AT))
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.INVALID))
          .hasMessageContaining("RawLocalFileSystem")
          .hasMessageContaining("fs.file.impl");
    }
  }
}
