package io.repave.testing;

import java.util.List;
import org.apache.hadoop.conf.Configuration;

/** Recognizable secrets: no log, record or exception may hold one of them. */
public final class Canaries {
  public static final String ACCESS = "AKIACANARY0ACCESS123";
  public static final String SECRET = "canarySecret0123456789/abcdefghijklmnop+";
  public static final String TOKEN = "canaryToken//0123456789abcdefghijklmnopqrstuvwxyz==";
  public static final String CUSTOMER_KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
  public static final List<String> ALL = List.of(ACCESS, SECRET, TOKEN, CUSTOMER_KEY);

  private Canaries() {}

  /** Temporary credentials and a customer's key: all secrets that a request can carry. */
  public static void set(Configuration conf) {
    conf.set("fs.s3a.access.key", ACCESS);
    conf.set("fs.s3a.secret.key", SECRET);
    conf.set("fs.s3a.session.token", TOKEN);
    conf.set(
        "fs.s3a.aws.credentials.provider",
        "org.apache.hadoop.fs.s3a.TemporaryAWSCredentialsProvider");
    conf.set("fs.s3a.encryption.algorithm", "SSE-C");
    conf.set("fs.s3a.encryption.key", CUSTOMER_KEY);
  }
}
