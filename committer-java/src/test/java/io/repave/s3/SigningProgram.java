package io.repave.s3;

import io.repave.core.store.Location;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/** Sends one request in a separate process, because the environment belongs to a process. */
final class SigningProgram {
  private SigningProgram() {}

  /** Arguments: the endpoint, and the class of the credentials provider ("": S3A's default). */
  public static void main(String[] arguments) throws Exception {
    Configuration conf = new Configuration();
    conf.set("fs.s3a.endpoint", arguments[0]);
    conf.set("fs.s3a.endpoint.region", "us-east-1");
    conf.set("fs.s3a.path.style.access", "true");
    conf.set("fs.s3a.connection.ssl.enabled", "false");
    conf.set("fs.s3a.bucket.probe", "0");
    if (!arguments[1].isEmpty()) {
      conf.set("fs.s3a.aws.credentials.provider", arguments[1]);
    }
    try (FileSystem files = FileSystem.newInstance(URI.create("s3a://lake/"), conf)) {
      S3Stores.open(bucket -> files).head(new Location("lake", "t/a"));
    }
  }
}
