package io.repave.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.testing.AwsSdk;
import io.repave.testing.StubS3;
import io.repave.testing.StubS3.Answer;
import io.repave.testing.StubS3.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests are signed with S3A's credentials, from any provider. */
class CredentialTest {
  @TempDir private Path folder;
  private StubS3 stub;

  @BeforeEach
  void start() throws IOException {
    stub = new StubS3(request -> Answer.tagged("e"));
  }

  @AfterEach
  void stop() {
    stub.close();
  }

  private Request signed(String provider, Map<String, String> environment)
      throws IOException, InterruptedException {
    Path log = folder.resolve("log");
    String classes =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    ProcessBuilder program =
        new ProcessBuilder(
            ProcessHandle.current().info().command().orElse("java"),
            "-Djava.net.preferIPv4Stack=true",
            "-cp",
            classes,
            SigningProgram.class.getName(),
            stub.configuration().get("fs.s3a.endpoint"),
            provider);
    program.environment().keySet().removeIf(name -> name.startsWith("AWS_"));
    program.environment().putAll(environment);
    Process running = program.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    assertThat(running.waitFor(3, TimeUnit.MINUTES)).as("the program ended").isTrue();
    assertThat(stub.requests()).as(Files.readString(log)).hasSize(1);
    return stub.requests().get(0);
  }

  @Test
  void credentialsOfTheEnvironmentSignOurRequests() throws Exception {
    Request request =
        signed(
            "",
            Map.of(
                "AWS_ACCESS_KEY_ID", "of-the-environment",
                "AWS_SECRET_ACCESS_KEY", "secret",
                "AWS_SESSION_TOKEN", "token-of-the-environment"));

    assertThat(request.header("Authorization")).contains("Credential=of-the-environment/");
    assertThat(request.header("x-amz-security-token")).isEqualTo("token-of-the-environment");
  }

  @Test
  void credentialsOfAProfileSignOurRequests() throws Exception {
    Path profiles = folder.resolve("credentials");
    Files.writeString(
        profiles,
        "[default]\naws_access_key_id = of-default\naws_secret_access_key = secret\n"
            + "[lake]\naws_access_key_id = of-the-profile\naws_secret_access_key = secret\n");

    Request request =
        signed(
            profileProvider(),
            Map.of(
                "AWS_PROFILE", "lake",
                "AWS_SHARED_CREDENTIALS_FILE", profiles.toString(),
                "AWS_CREDENTIAL_PROFILES_FILE", profiles.toString()));

    assertThat(request.header("Authorization")).contains("Credential=of-the-profile/");
  }

  /** Each SDK has its own provider. S3A of Hadoop 3.3 accepts only those of SDK 1. */
  private static String profileProvider() {
    return AwsSdk.isTwo()
        ? "software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider"
        : "com.amazonaws.auth.profile.ProfileCredentialsProvider";
  }
}
