package io.repave.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.repave.core.store.DeleteFailure;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.StubS3;
import io.repave.testing.StubS3.Answer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What is known after each response, for every call, through the real SDK. */
class AnswerTest {
  private static final Location AT = new Location("lake", "t/a");

  private static StubS3 stub;
  private static FileSystem files;
  private static ObjectStore store;

  @BeforeAll
  static void start() throws IOException {
    stub = new StubS3(request -> Answer.of(200, ""));
    files = stub.files("lake", stub.configuration());
    store = S3Stores.open(bucket -> files);
  }

  @AfterAll
  static void stop() throws IOException {
    files.close();
    stub.close();
  }

  /** Every call of the port. */
  enum Call {
    READ(() -> store.read(AT, 10)),
    HEAD(() -> store.head(AT)),
    PUT(() -> store.put(AT, content())),
    PUT_IF_ABSENT(() -> store.putIfAbsent(AT, content())),
    PUT_IF_MATCH(() -> store.putIfMatch(AT, content(), "e")),
    LIST(() -> store.list(AT, "")),
    CREATE(() -> store.createUpload(AT)),
    PART(() -> store.uploadPart(AT, "id", 1, content())),
    COMPLETE(() -> store.complete(new PendingUpload(AT, "id", 1, List.of("e")))),
    ABORT(() -> store.abort(AT, "id")),
    LIST_UPLOADS(() -> store.listUploads(AT, "")),
    DELETE(() -> store.delete(List.of(AT)));

    private final ThrowingCallable call;

    Call(ThrowingCallable call) {
      this.call = call;
    }

    private static ByteBuffer content() {
      return ByteBuffer.wrap(new byte[1]);
    }

    Kind kind() {
      StoreException failure = catchThrowableOfType(StoreException.class, call);
      return failure == null ? null : failure.kind();
    }
  }

  static Stream<Arguments> everyCallAndAnswer() {
    Object[][] answers = {
      {412, "PreconditionFailed", Kind.REFUSED},
      {409, "OperationAborted", Kind.UNKNOWN},
      {404, "NoSuchUpload", Kind.ABSENT},
      {404, "NoSuchBucket", Kind.ABSENT},
      {401, "Unauthorized", Kind.DENIED},
      {403, "AccessDenied", Kind.DENIED},
      {403, "SignatureDoesNotMatch", Kind.DENIED},
      {403, "InvalidObjectState", Kind.INVALID},
      {416, "InvalidRange", Kind.INVALID},
      {400, "InvalidRequest", Kind.INVALID},
      {400, "EntityTooSmall", Kind.INVALID},
      {405, "MethodNotAllowed", Kind.INVALID},
      {301, "PermanentRedirect", Kind.INVALID},
      {501, "NotImplemented", Kind.INVALID},
      {400, "RequestTimeout", Kind.UNKNOWN},
      {400, "KMS.ThrottlingException", Kind.UNKNOWN},
      {408, "RequestTimeout", Kind.UNKNOWN},
      {429, "TooManyRequests", Kind.UNKNOWN},
      {500, "InternalError", Kind.UNKNOWN},
      {503, "SlowDown", Kind.UNKNOWN},
      {504, "GatewayTimeout", Kind.UNKNOWN},
    };
    return Stream.of(Call.values())
        .flatMap(
            call ->
                Stream.of(answers)
                    // This request has no condition, and SDK 1 would treat the response as an
                    // absent object.
                    .filter(answer -> call != Call.READ || !answer[0].equals(412))
                    .map(answer -> Arguments.of(call, answer[0], answer[1], answer[2])));
  }

  @ParameterizedTest(name = "{0} answered {1} {2} is {3}")
  @MethodSource("everyCallAndAnswer")
  void anErrorAnswerSaysWhatIsKnown(Call call, int status, String code, Kind kind) {
    stub.answer(request -> Answer.error(status, code, "as the stub says"));

    Kind expected = kind;
    if (status == 409 && (call == Call.PUT_IF_ABSENT || call == Call.PUT_IF_MATCH)) {
      expected = Kind.REFUSED; // Another write may have won.
    } else if (call == Call.ABORT && kind == Kind.ABSENT) {
      expected = null; // Gone is what an abort wants.
    } else if (call == Call.HEAD && status == 404) {
      expected = null; // A HEAD has no body that could tell why.
    } else if (call == Call.HEAD && status == 400) {
      expected = Kind.INVALID; // Nor a code that says so.
    } else if (call == Call.HEAD && status == 403) {
      expected = Kind.DENIED; // S3 answers 200 to the HEAD of an archived object.
    }
    assertThat(call.kind()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "404, NoSuchBucket, name and the endpoint",
    "403, InvalidAccessKeyId, check the credentials",
    "403, SignatureDoesNotMatch, Check the secret key",
    "400, ExpiredToken, log in again",
    "403, RequestTimeTooSkewed, Set the clock of this machine",
    "403, InvalidObjectState, 'in an archive class: restore it'",
    "400, AuthorizationHeaderMalformed, Set fs.s3a.endpoint.region",
    "403, AccessDenied, `repave doctor` tests which permissions are missing"
  })
  void aRefusalSaysWhatToDo(int status, String code, String remedy) {
    stub.answer(request -> Answer.error(status, code, "as the stub says"));

    assertThat(catchThrowableOfType(StoreException.class, () -> store.put(AT, Call.content())))
        .hasMessageContaining(status + " " + code)
        .hasMessageContaining(remedy);
  }

  /** A proxy that wants https:// answers so, and S3 a HEAD of a bucket in another region. */
  @Test
  void aRedirectWithoutACodeSaysWhatToDo() {
    stub.answer(request -> Answer.of(301, ""));

    assertThat(catchThrowableOfType(StoreException.class, () -> store.head(AT)))
        .hasMessageContaining("answered 301")
        .hasMessageEndingWith(
            "The endpoint redirects to another address, perhaps to https:// or to the bucket's"
                + " region: check fs.s3a.endpoint and fs.s3a.endpoint.region");
  }

  @ParameterizedTest
  @EnumSource(Call.class)
  void aCutConnectionIsUnknown(Call call) {
    stub.answer(
        request -> {
          throw new IllegalStateException("the stub drops this connection");
        });

    assertThat(call.kind()).isEqualTo(Kind.UNKNOWN);
  }

  /** Gateways send status 200 before they know the outcome. The error is in the body. */
  @ParameterizedTest
  @EnumSource(
      value = Call.class,
      names = {"ABORT"},
      mode = EnumSource.Mode.EXCLUDE)
  void anErrorInsideASuccessIsUnknown(Call call) {
    stub.answer(request -> Answer.error(200, "InternalError", "try again"));

    assertThat(call.kind()).isEqualTo(Kind.UNKNOWN);
  }

  @ParameterizedTest
  @EnumSource(
      value = Call.class,
      names = {"ABORT"},
      mode = EnumSource.Mode.EXCLUDE)
  void aSuccessThatSaysNothingIsUnknown(Call call) {
    stub.answer(request -> Answer.of(200, ""));

    assertThat(call.kind()).isEqualTo(Kind.UNKNOWN);
  }

  @Test
  void absentObjectsAreEmptyAndAnAbsentKeyMatchesNoTag() throws IOException {
    stub.answer(request -> Answer.error(404, "NoSuchKey", "not here"));

    assertThat(store.read(AT, 10)).isEmpty();
    assertThat(store.head(AT)).isEmpty();
    assertThat(Call.PUT_IF_MATCH.kind()).isEqualTo(Kind.REFUSED);
  }

  @Test
  void aNotFoundThatIsNotFromS3IsNoAbsence() {
    stub.answer(request -> Answer.of(404, "<html>no such page</html>"));

    assertThat(Call.READ.kind()).isEqualTo(Kind.INVALID);
    assertThat(Call.COMPLETE.kind()).isEqualTo(Kind.INVALID);
  }

  @ParameterizedTest
  @CsvSource({"AccessDenied, 1", "InternalError, 1", "NoSuchKey, 0"})
  void aKeyThatADeleteRefusesIsReported(String code, int failures) throws IOException {
    stub.answer(
        request ->
            Answer.of(
                200,
                "<DeleteResult><Deleted><Key>t/a</Key></Deleted><Error><Key>t/b</Key><Code>"
                    + code
                    + "</Code><Message>no</Message></Error></DeleteResult>"));

    List<DeleteFailure> failed =
        store.delete(List.of(new Location("lake", "t/a"), new Location("lake", "t/b")));

    assertThat(failed).hasSize(failures);
    assertThat(failed).allSatisfy(each -> assertThat(each.at().key()).isEqualTo("t/b"));
  }

  @Test
  void aDeleteThatLeavesAKeyUnnamedIsUnknown() {
    stub.answer(
        request ->
            Answer.of(200, "<DeleteResult><Deleted><Key>t/a</Key></Deleted></DeleteResult>"));
    List<Location> two = List.of(new Location("lake", "t/a"), new Location("lake", "t/b"));

    StoreException failure = catchThrowableOfType(StoreException.class, () -> store.delete(two));

    assertThat(failure.kind()).isEqualTo(Kind.UNKNOWN);
  }

  @Test
  void anEmptyPageThatIsNotTheLastIsFollowed() throws IOException {
    stub.answer(
        request ->
            request.uri().getQuery().contains("continuation-token")
                ? listing(false, "t/a/1")
                : listing(true));

    assertThat(store.list(AT, "").objects()).hasSize(1);
  }

  @Test
  void thousandsOfEmptyPagesAreFollowed() throws IOException {
    AtomicInteger pages = new AtomicInteger();
    stub.answer(
        request -> {
          int page = pages.incrementAndGet();
          return page < 3_000 ? emptyPage("token" + page) : listing(false, "t/a/1");
        });

    assertThat(store.list(AT, "").objects()).hasSize(1);
    assertThat(pages).hasValue(3_000);
  }

  @Test
  void aListingThatDoesNotMoveIsRefused() {
    stub.answer(request -> emptyPage("the same"));

    StoreException failure = catchThrowableOfType(StoreException.class, () -> store.list(AT, ""));

    assertThat(failure).hasMessageContaining("without any key on 2 pages");
  }

  private static Answer emptyPage(String following) {
    return Answer.of(
        200,
        "<ListBucketResult><Name>lake</Name><IsTruncated>true</IsTruncated>"
            + "<NextContinuationToken>"
            + following
            + "</NextContinuationToken></ListBucketResult>");
  }

  private static Answer listing(boolean more, String... keys) {
    StringBuilder body = new StringBuilder("<ListBucketResult><Name>lake</Name><IsTruncated>");
    body.append(more).append("</IsTruncated>");
    if (more) {
      body.append("<NextContinuationToken>n</NextContinuationToken>");
    }
    for (String key : keys) {
      body.append("<Contents><Key>")
          .append(key)
          .append("</Key><Size>1</Size><ETag>\"e\"</ETag></Contents>");
    }
    return Answer.of(200, body.append("</ListBucketResult>").toString());
  }

  @Test
  void foreignUploadsThatAServerListsAreLeftOut() throws IOException {
    stub.answer(
        request ->
            Answer.of(
                200,
                "<ListMultipartUploadsResult><Bucket>lake</Bucket><IsTruncated>false</IsTruncated>"
                    + "<Upload><Key>t/a/1</Key><UploadId>mine</UploadId></Upload>"
                    + "<Upload><Key>t/ab/1</Key><UploadId>other</UploadId></Upload>"
                    + "</ListMultipartUploadsResult>"));

    assertThat(store.listUploads(AT, "").uploads())
        .extracting(upload -> upload.uploadId())
        .containsExactly("mine");
  }

  @Test
  void aListingOfUploadsThatDoesNotMoveIsRefused() throws IOException {
    stub.answer(
        request ->
            Answer.of(
                200,
                "<ListMultipartUploadsResult><Bucket>lake</Bucket><IsTruncated>true</IsTruncated>"
                    + "<NextKeyMarker>t/a/1</NextKeyMarker></ListMultipartUploadsResult>"));
    String next = store.listUploads(AT, "").next();

    StoreException failure =
        catchThrowableOfType(StoreException.class, () -> store.listUploads(AT, next));

    assertThat(failure).hasMessageContaining("without any upload after the marker");
  }

  @Test
  void aDeleteOfNothingAsksNothing() {
    int before = stub.requests().size();

    assertThatCode(() -> store.delete(List.of())).doesNotThrowAnyException();

    assertThat(stub.requests()).hasSize(before);
  }

  @Test
  void aCompleteNamesTenThousandPartsInTheirOrder() throws IOException {
    List<String> tags = IntStream.rangeClosed(1, 10_000).mapToObj(each -> "tag" + each).toList();
    stub.answer(
        request ->
            Answer.of(
                200,
                "<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>"));

    store.complete(new PendingUpload(AT, "id", 70_000, tags));

    String body = new String(stub.requests().get(stub.requests().size() - 1).body(), UTF_8);
    assertThat(values("PartNumber", body))
        .isEqualTo(IntStream.rangeClosed(1, 10_000).mapToObj(Integer::toString).toList());
    assertThat(values("ETag", body)).isEqualTo(tags);
  }

  private static List<String> values(String element, String body) {
    return Pattern.compile("<" + element + ">(.*?)</" + element + ">")
        .matcher(body)
        .results()
        .map(found -> found.group(1).replaceAll("&quot;|\"", ""))
        .toList();
  }
}
