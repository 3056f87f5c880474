package io.repave.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.store.DeleteFailure;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.testing.StubS3;
import io.repave.testing.StubS3.Answer;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpRequest;

/** S3A names a bucket with an access point by the point's ARN. */
class AccessPointTest {
  private static volatile int port;

  /** Sends every request to the stub: the name of an access point's host is Amazon's. */
  public static final class ToTheStub implements ExecutionInterceptor {
    @Override
    public SdkHttpRequest modifyHttpRequest(
        Context.ModifyHttpRequest context, ExecutionAttributes attributes) {
      return context.httpRequest().toBuilder()
          .protocol("http")
          .host("127.0.0.1")
          .port(port)
          .build();
    }
  }

  @Test
  @EnabledIf("io.repave.testing.AwsSdk#isTwo")
  void aKeyThatADeleteRefusesIsReported() throws Exception {
    String refusal =
        "<DeleteResult><Error><Key>t/a</Key><Code>SlowDown</Code><Message>no</Message></Error>"
            + "</DeleteResult>";
    try (StubS3 stub = new StubS3(request -> Answer.of(200, refusal))) {
      Configuration conf = stub.configuration();
      port = Integer.parseInt(conf.get("fs.s3a.endpoint").replaceAll(".*:", ""));
      conf.unset("fs.s3a.endpoint");
      conf.set("fs.s3a.path.style.access", "false");
      conf.set("fs.s3a.audit.execution.interceptors", ToTheStub.class.getName());
      conf.set(
          "fs.s3a.bucket.lake.accesspoint.arn",
          "arn:aws:s3:us-east-1:123456789012:accesspoint/lake-point");
      try (FileSystem files = stub.files("lake", conf)) {
        ObjectStore store = S3Stores.open(bucket -> files);

        List<DeleteFailure> refused = store.delete(List.of(new Location("lake", "t/a")));

        assertThat(refused)
            .extracting(DeleteFailure::at)
            .containsExactly(new Location("lake", "t/a"));
      }
    }
  }
}
