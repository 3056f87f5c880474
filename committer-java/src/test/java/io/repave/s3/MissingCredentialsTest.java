package io.repave.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.StubS3;
import io.repave.testing.StubS3.Answer;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.s3a.DefaultS3ClientFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A request without credentials is refused before it is sent. If it may be sent, it is unknown. */
class MissingCredentialsTest {
  private static final Location AT = new Location("lake", "t/a");
  private static final String ONLY_FROM_CONF =
      "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider";

  private StubS3 stub;

  @BeforeEach
  void start() throws IOException {
    stub = new StubS3(StubS3.Request::stored);
  }

  @AfterEach
  void stop() {
    stub.close();
  }

  private Configuration withoutCredentials() {
    Configuration conf = stub.configuration();
    conf.set("fs.s3a.aws.credentials.provider", ONLY_FROM_CONF);
    conf.unset("fs.s3a.access.key");
    conf.unset("fs.s3a.secret.key");
    return conf;
  }

  private StoreException failedPut(Configuration conf) throws IOException {
    try (FileSystem files = stub.files("lake", conf)) {
      return catchThrowableOfType(
          StoreException.class,
          () -> S3Stores.open(bucket -> files).put(AT, ByteBuffer.wrap(new byte[1])));
    }
  }

  /** They are there until {@link LeavingCredentials} is told otherwise. */
  private FileSystem withLeavingCredentials() throws IOException {
    Configuration conf = stub.configuration();
    conf.set("fs.s3a.aws.credentials.provider", LeavingCredentials.provider());
    LeavingCredentials.stay();
    return stub.files("lake", conf);
  }

  @Test
  void missingCredentialsAreARefusalThatSaysWhatToDo() throws IOException {
    StoreException failure = failedPut(withoutCredentials());

    assertThat(failure.kind()).isEqualTo(Kind.DENIED);
    assertThat(failure)
        .hasMessageContaining("PUT s3://lake/t/a could not be sent")
        .hasMessageContaining("finds no credentials for s3a://lake")
        .hasMessageContaining("AWS_PROFILE");
    assertThat(stub.requests()).isEmpty();
  }

  /** They may have expired between two tries of the SDK, after the first one was sent. */
  @Test
  void credentialsThatGoMissingLaterLeaveTheOutcomeUnknown() throws IOException {
    try (FileSystem files = withLeavingCredentials()) {
      ObjectStore store = S3Stores.open(bucket -> files);
      store.put(AT, ByteBuffer.wrap(new byte[1]));
      LeavingCredentials.leave();

      StoreException failure =
          catchThrowableOfType(
              StoreException.class, () -> store.put(AT, ByteBuffer.wrap(new byte[1])));

      assertThat(failure.kind()).isEqualTo(Kind.UNKNOWN);
    }
  }

  /** STS may be busy, or its answer wrong for a moment. No request of S3 was answered so. */
  @ParameterizedTest
  @ValueSource(ints = {400, 403, 409})
  void whatStsAnswersIsNoAnswerOfTheStore(int status) throws IOException {
    try (FileSystem files = withLeavingCredentials()) {
      ObjectStore store = S3Stores.open(bucket -> files);
      store.put(AT, ByteBuffer.wrap(new byte[1]));
      LeavingCredentials.refuse(status);

      StoreException failure = catchThrowableOfType(StoreException.class, () -> store.head(AT));

      assertThat(failure.kind()).isEqualTo(Kind.UNKNOWN);
      assertThat(failure)
          .hasMessageContaining("S3A got no credentials: as STS says")
          .hasMessageContaining("fs.s3a.aws.credentials.provider");
      LeavingCredentials.stay();
      assertThat(store.head(AT)).isPresent();
    }
  }

  /** It may sign by other means, so only a request shows whether it can. */
  @Test
  void aFactoryOfTheUsersOwnIsNotAskedForS3asCredentials() throws IOException {
    Configuration conf = withoutCredentials();
    conf.set("fs.s3a.s3.client.factory.impl", OwnFactory.class.getName());

    assertThat(failedPut(conf).kind()).isEqualTo(Kind.UNKNOWN);
  }

  @Test
  void aSessionThatExpiredIsAnsweredByTheStoreAndNotRepeated() throws IOException {
    stub.answer(request -> Answer.error(400, "ExpiredToken", "The provided token has expired."));

    StoreException failure = failedPut(stub.configuration());

    assertThat(failure.kind()).isEqualTo(Kind.INVALID);
    assertThat(failure).hasMessageContaining("ExpiredToken");
    assertThat(stub.requests()).hasSize(1);
  }

  /** S3A creates it by name. */
  public static final class OwnFactory extends DefaultS3ClientFactory {}
}
