package io.repave.s3;

import com.amazonaws.auth.AWSCredentials;
import com.amazonaws.auth.AWSCredentialsProvider;
import com.amazonaws.auth.BasicAWSCredentials;
import io.repave.testing.AwsSdk;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;

/** Credentials that a test can remove. S3A creates the provider for its SDK by name. */
final class LeavingCredentials {
  private static volatile boolean there;

  private LeavingCredentials() {}

  static void stay() {
    there = true;
  }

  static void leave() {
    there = false;
  }

  static String provider() {
    return LeavingCredentials.class.getName() + (AwsSdk.isTwo() ? "$OfSdkTwo" : "$OfSdkOne");
  }

  private static void require() {
    if (!there) {
      throw new IllegalStateException("the credentials have left");
    }
  }

  /** For Hadoop 3.4 and newer. */
  public static final class OfSdkTwo implements AwsCredentialsProvider {
    @Override
    public AwsCredentials resolveCredentials() {
      require();
      return AwsBasicCredentials.create("a", "s");
    }
  }

  /** For Hadoop 3.3. */
  public static final class OfSdkOne implements AWSCredentialsProvider {
    @Override
    public AWSCredentials getCredentials() {
      require();
      return new BasicAWSCredentials("a", "s");
    }

    @Override
    public void refresh() {}
  }
}
