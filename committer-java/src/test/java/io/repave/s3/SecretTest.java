package io.repave.s3;

import static io.repave.testing.Canaries.ACCESS;
import static io.repave.testing.Canaries.CUSTOMER_KEY;
import static io.repave.testing.Canaries.SECRET;
import static io.repave.testing.Canaries.TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.testing.Canaries;
import io.repave.testing.StubS3;
import io.repave.testing.StubS3.Answer;
import io.repave.testing.StubS3.Request;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Secrets that must never be printed, and a server that echoes every request. */
class SecretTest {
  private static final Location AT = new Location("lake", "t/a");

  private static Configuration canaries(StubS3 stub) {
    Configuration conf = stub.configuration();
    Canaries.set(conf);
    return conf;
  }

  /** An error that quotes the request's headers, in the ways that servers and proxies do. */
  private static Answer echo(Request request) {
    StringBuilder text = new StringBuilder("your request was");
    request
        .headers()
        .forEach(
            (name, value) ->
                text.append(' ')
                    .append(name)
                    .append(": ")
                    .append(value.replace("&", "&amp;").replace("<", "&lt;")));
    return Answer.error(403, "SignatureDoesNotMatch", text.toString());
  }

  private static String trace(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  @Test
  void noSecretOfARequestIsInAnErrorOrItsCauses() throws IOException {
    try (StubS3 stub = new StubS3(SecretTest::echo);
        FileSystem files = stub.files("lake", canaries(stub))) {
      ObjectStore store = S3Stores.open(bucket -> files);
      ByteBuffer content = ByteBuffer.wrap(new byte[1]);

      for (org.assertj.core.api.ThrowableAssert.ThrowingCallable call :
          List.<org.assertj.core.api.ThrowableAssert.ThrowingCallable>of(
              () -> store.read(AT, 10),
              () -> store.put(AT, content),
              () -> store.createUpload(AT),
              () -> store.uploadPart(AT, "id", 1, content),
              () -> store.list(AT, ""))) {
        String told = trace(catchThrowableOfType(StoreException.class, call));

        assertThat(told).contains("403 SignatureDoesNotMatch");
        assertThat(told)
            .doesNotContain(ACCESS)
            .doesNotContain(SECRET)
            .doesNotContain(TOKEN)
            .doesNotContain(CUSTOMER_KEY);
        assertThat(told).doesNotContain(signature(stub));
      }
      assertThat(stub.requests().get(1).headers().values()).contains(CUSTOMER_KEY, TOKEN);
    }
  }

  private static String signature(StubS3 stub) {
    List<Request> sent = stub.requests();
    String header = sent.get(sent.size() - 1).header("Authorization");
    return header.substring(header.indexOf("Signature=") + "Signature=".length());
  }

  @Test
  void aKeyThatIsNotBase64IsNotQuoted() throws IOException {
    try (StubS3 stub = new StubS3(SecretTest::echo)) {
      Configuration conf = canaries(stub);
      conf.set("fs.s3a.encryption.key", "canary-not-base64");
      try (FileSystem files = stub.files("lake", conf)) {
        ObjectStore store = S3Stores.open(bucket -> files);

        String told = trace(catchThrowableOfType(StoreException.class, () -> store.head(AT)));

        assertThat(told).contains("fs.s3a.encryption.key").doesNotContain("canary-not-base64");
      }
    }
  }

  @Test
  void settingsShowTheirNamesOnly() {
    WriteSettings settings =
        new WriteSettings(
            java.util.Map.of("x-amz-server-side-encryption-customer-key", CUSTOMER_KEY),
            java.util.Map.of("x-amz-server-side-encryption-customer-key", CUSTOMER_KEY),
            java.util.Map.of("x-amz-server-side-encryption-customer-key", CUSTOMER_KEY),
            1);

    assertThat(settings.toString()).contains("customer-key").doesNotContain(CUSTOMER_KEY);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://lake.s3.amazonaws.com/a?X-Amz-Signature=canary&X-Amz-Credential=canary",
        "see https://user:canary@proxy:8080/ for it",
        "Authorization: AWS4-HMAC-SHA256 Credential=canary/20260101, Signature=canary",
        "X-Amz-Security-Token: canary",
        "fs.s3a.secret.key=canary",
        "{\"SecretAccessKey\": \"canary\", \"SessionToken\" : \"canary\"}",
        "<AWSAccessKeyId>canary</AWSAccessKeyId>",
        "Password = canary",
      })
  void aSecretsNameTakesItsValueAway(String message) {
    assertThat(Redaction.of(message)).doesNotContain("canary").contains("(redacted)");
  }

  @Test
  void whatIsNoSecretStays() {
    String message =
        "User: arn:aws:iam::1:user/x is not authorized to perform s3:PutObject on lake/dt=2026/k";

    assertThat(Redaction.of(message)).isEqualTo(message);
    assertThat(Redaction.of("two\nlines\tof it")).isEqualTo("two lines of it");
    assertThat(Redaction.of("x".repeat(2000))).hasSizeLessThan(600);
  }
}
