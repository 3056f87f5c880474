package io.repave.testing;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/** An S3 server on this machine, moto or ministack. It starts empty and keeps nothing. */
public final class EmbeddedS3 implements AutoCloseable {
  private final LabProcess server;

  private EmbeddedS3(LabProcess server) {
    this.server = server;
  }

  public static EmbeddedS3 start(String name) {
    return new EmbeddedS3(LabProcess.start("repave_lab.servers", name));
  }

  public String endpoint() {
    return server.announced("endpoint");
  }

  /** The server's status for a case of the lab's dialect, as {@code complete_replay}. */
  public int status(String dialectCase) {
    return server.announcement().required("dialect").required(dialectCase).asInt();
  }

  /** Makes a bucket. These servers check no signature, so a plain request does. */
  public void createBucket(String bucket) throws IOException {
    send(request("/" + bucket).PUT(HttpRequest.BodyPublishers.noBody()));
  }

  /** The answer to a plain GET, such as of {@code /lake?uploads}. */
  public String get(String pathAndQuery) throws IOException {
    return send(request(pathAndQuery).GET());
  }

  private HttpRequest.Builder request(String pathAndQuery) {
    return HttpRequest.newBuilder(URI.create(endpoint() + pathAndQuery))
        .header("Authorization", "AWS4-HMAC-SHA256 Credential=repave-lab/20260101/us-east-1/s3");
  }

  private static String send(HttpRequest.Builder builder) throws IOException {
    HttpRequest request = builder.build();
    try {
      HttpResponse<String> answer =
          HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new AssertionError(request + " answered " + answer.statusCode());
      }
      return answer.body();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** What a user would configure for s3a to reach this endpoint, which may be a proxy's. */
  public Configuration configuration(String endpoint) {
    Configuration conf = new Configuration();
    conf.set("fs.s3a.endpoint", endpoint);
    conf.set("fs.s3a.endpoint.region", server.announced("region"));
    conf.set("fs.s3a.path.style.access", "true");
    conf.set("fs.s3a.access.key", server.announced("access_key"));
    conf.set("fs.s3a.secret.key", server.announced("secret_key"));
    conf.set("fs.s3a.connection.ssl.enabled", "false");
    conf.set("fs.s3a.bucket.probe", "0");
    return conf;
  }

  /** A file system of its own, outside Hadoop's cache: the caller closes it. */
  public static FileSystem files(String bucket, Configuration conf) throws IOException {
    return FileSystem.newInstance(URI.create("s3a://" + bucket + "/"), conf);
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
