package io.repave.testing;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/** A server with one bucket, and the lab's proxy in front of it, for Hadoop's file systems. */
public record ProxiedS3(EmbeddedS3 server, LabProxy proxy) implements AutoCloseable {
  public static ProxiedS3 start(String bucket) throws IOException {
    EmbeddedS3 server = EmbeddedS3.start("ministack");
    server.createBucket(bucket);
    return new ProxiedS3(server, LabProxy.before(server));
  }

  /** A new configuration that sends all requests through the proxy. */
  public Configuration configuration() throws IOException {
    return server.configuration(proxy.endpoint());
  }

  @Override
  public void close() throws IOException {
    FileSystem.closeAll();
    proxy.close();
    server.close();
  }
}
