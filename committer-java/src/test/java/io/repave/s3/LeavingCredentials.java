package io.repave.s3;

import com.amazonaws.AmazonServiceException;
import com.amazonaws.auth.AWSCredentials;
import com.amazonaws.auth.AWSCredentialsProvider;
import com.amazonaws.auth.BasicAWSCredentials;
import io.repave.testing.AwsSdk;
import java.util.function.Supplier;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsServiceException;

/** Credentials that a test can remove. S3A creates the provider for its SDK by name. */
final class LeavingCredentials {
  private static volatile Supplier<RuntimeException> failure;

  private LeavingCredentials() {}

  static void stay() {
    failure = null;
  }

  static void leave() {
    failure = () -> new IllegalStateException("the credentials have left");
  }

  /** As when STS answers so to a provider that renews its credentials. */
  static void refuse(int status) {
    failure = AwsSdk.isTwo() ? () -> OfSdkTwo.answer(status) : () -> OfSdkOne.answer(status);
  }

  static String provider() {
    return LeavingCredentials.class.getName() + (AwsSdk.isTwo() ? "$OfSdkTwo" : "$OfSdkOne");
  }

  private static void require() {
    Supplier<RuntimeException> now = failure;
    if (now != null) {
      throw now.get();
    }
  }

  /** For Hadoop 3.4 and newer. */
  public static final class OfSdkTwo implements AwsCredentialsProvider {
    private static RuntimeException answer(int status) {
      return AwsServiceException.builder().statusCode(status).message("as STS says").build();
    }

    @Override
    public AwsCredentials resolveCredentials() {
      require();
      return AwsBasicCredentials.create("a", "s");
    }
  }

  /** For Hadoop 3.3. */
  public static final class OfSdkOne implements AWSCredentialsProvider {
    private static RuntimeException answer(int status) {
      AmazonServiceException answer = new AmazonServiceException("as STS says");
      answer.setStatusCode(status);
      return answer;
    }

    @Override
    public AWSCredentials getCredentials() {
      require();
      return new BasicAWSCredentials("a", "s");
    }

    @Override
    public void refresh() {}
  }
}
