package io.repave.spark.secrets;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.s3.S3Stores;
import io.repave.testing.EmbeddedS3;
import io.repave.testing.LabProxy;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Canaries over HTTP: jobs that go right and jobs that fail at each kind of request, with
 * credentials by every way, on a server whose errors quote the request's own headers. No secret may
 * be in what the process logs (ours at DEBUG) and throws, nor in any object that it left.
 */
@Tag("http")
class SecretsHttpTest {
  private static final String ACCESS = "AKIACANARY0ACCESS123";
  private static final String SECRET = "canarySecret0123456789/abcdefghijklmnop+";
  private static final String TOKEN = "canaryToken//0123456789abcdefghijklmnopqrstuvwxyz==";
  private static final String CUSTOMER_KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
  private static final List<String> CANARIES = List.of(ACCESS, SECRET, TOKEN, CUSTOMER_KEY);
  private static final String KEY_HEADER = "x-amz-server-side-encryption-customer-key";

  /** What fails: an operation, and which of its keys. */
  private record Target(String name, String operation, String key) {}

  private static final List<Target> TARGETS =
      List.of(
          new Target("create", "CreateMultipartUpload", ""),
          new Target("part", "UploadPart", ""),
          new Target("complete", "CompleteMultipartUpload", ""),
          new Target("abort", "AbortMultipartUpload", ""),
          new Target("uploads", "ListMultipartUploads", ""),
          new Target("head", "PutObject", "_repave/head"),
          new Target("record", "PutObject", "_repave/commits/"),
          new Target("put", "PutObject", ".*part-"),
          new Target("read", "GetObject", "_repave/head"),
          new Target("reread", "GetObject", "_repave/commits/"),
          new Target("list", "ListObjectsV2", ""),
          new Target("delete", "DeleteObjects", ""));

  /** Which header an error quotes, with which status. */
  private static final Map<Integer, String> QUOTED =
      Map.of(403, "Authorization", 500, "x-amz-security-token", 400, KEY_HEADER);

  @TempDir private Path folder;
  private EmbeddedS3 server;
  private LabProxy proxy;
  private Configuration conf;

  @BeforeEach
  void start() throws IOException {
    server = EmbeddedS3.start("ministack");
    server.createBucket("lake");
    proxy = LabProxy.before(server);
    conf = new Configuration(false);
    server.configuration(proxy.endpoint()).forEach(each -> copy(each.getKey(), each.getValue()));
    conf.unset("fs.s3a.access.key");
    conf.unset("fs.s3a.secret.key");
    conf.set("test.past.the.proxy", server.endpoint());
    conf.set("fs.s3.impl", "org.apache.hadoop.fs.s3a.S3AFileSystem");
    conf.set("fs.repave.impl", RepaveFileSystem.class.getName());
    conf.set("repave.retry.budget", "1ms");
    conf.set("repave.lease", "1s");
    conf.set("repave.drain", "1s");
    conf.setInt("fs.s3a.attempts.maximum", 0);
  }

  private void copy(String key, String value) {
    if (key.startsWith("fs.s3a.") && !value.isEmpty()) {
      conf.set(key, value);
    }
  }

  @AfterEach
  void stop() throws IOException {
    proxy.close();
    server.close();
  }

  /** Runs the program on these tables and reads all that it says. */
  private String told(List<String> tables, Map<String, String> environment)
      throws IOException, InterruptedException {
    conf.set("test.tables", String.join(",", tables));
    Path settings = folder.resolve("core-site.xml");
    try (OutputStream out = Files.newOutputStream(settings)) {
      conf.writeXml(out);
    }
    Path log = Path.of(System.getProperty("repave.basedir", "."), "target", "secrets.log");
    List<String> command =
        new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java")));
    for (String opened : List.of("lang", "nio", "util")) {
      command.add("--add-opens=java.base/java." + opened + "=ALL-UNNAMED");
    }
    command.add("-Djava.net.preferIPv4Stack=true");
    command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=info");
    command.add("-Dorg.slf4j.simpleLogger.log.io.repave=trace");
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.addAll(List.of(TableProgram.class.getName(), settings.toString()));
    ProcessBuilder program = new ProcessBuilder(command);
    program.environment().keySet().removeIf(name -> name.startsWith("AWS_"));
    program.environment().putAll(environment);
    Process running = program.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    boolean isOver = running.waitFor(5, TimeUnit.MINUTES);
    running.destroyForcibly();
    String told = Files.readString(log);
    assertThat(isOver).as(told).isTrue();
    assertThat(running.exitValue()).as(told).isZero();
    return told;
  }

  /** Every object of the bucket by its key, unpacked where it is packed. */
  private Map<String, String> left() throws IOException {
    Map<String, String> left = new java.util.TreeMap<>();
    Configuration plain = server.configuration(server.endpoint());
    if (conf.get("fs.s3a.encryption.key") != null) {
      plain.set("fs.s3a.encryption.algorithm", conf.get("fs.s3a.encryption.algorithm"));
      plain.set("fs.s3a.encryption.key", conf.get("fs.s3a.encryption.key"));
    }
    try (FileSystem files = EmbeddedS3.files("lake", plain)) {
      ObjectStore store = S3Stores.open(bucket -> files);
      ListPage page = store.list(new Location("lake", ""), "");
      while (true) {
        for (ListedObject each : page.objects()) {
          byte[] content =
              store.read(new Location("lake", each.key()), 1 << 24).orElseThrow().content();
          left.put(each.key(), text(each.key(), content));
        }
        if (!page.more()) {
          return left;
        }
        page = store.list(new Location("lake", ""), page.last());
      }
    }
  }

  private static String text(String key, byte[] content) throws IOException {
    if (!key.endsWith(".gz")) {
      return new String(content, UTF_8);
    }
    try (GZIPInputStream unpacked = new GZIPInputStream(new ByteArrayInputStream(content))) {
      return new String(unpacked.readAllBytes(), UTF_8);
    }
  }

  private static void assertSilent(String what, String text) {
    for (String canary : CANARIES) {
      assertThat(text).as(what).doesNotContain(canary);
      assertThat(text).as(what).doesNotContain(canary.replace("/", "%2F").replace("+", "%2B"));
      assertThat(text)
          .as(what)
          .doesNotContain(Base64.getEncoder().encodeToString(canary.getBytes(UTF_8)));
    }
    assertThat(text).as(what).doesNotContainPattern("Signature=[0-9a-f]");
  }

  private void assertNothingIsTold(String told) throws IOException {
    assertSilent("log", told);
    Map<String, String> left = left();
    assertThat(left.keySet()).filteredOn(key -> key.contains("/_repave/")).hasSizeGreaterThan(5);
    left.forEach((key, content) -> assertSilent(key, key + " " + content));
    assertThat(told).contains("listing-right met 0 exceptions");
    assertThat(told).contains("snapshot-right met 0 exceptions");
    assertThat(told).contains("DEBUG io.repave.spark").contains("INFO io.repave.spark");
  }

  /** Temporary credentials and a key of the customer's: all that a request can carry. */
  @Test
  void jobsThatFailAnywhereTellNoSecretThatTheStoreQuotes() throws Exception {
    conf.set("fs.s3a.access.key", ACCESS);
    conf.set("fs.s3a.secret.key", SECRET);
    conf.set("fs.s3a.session.token", TOKEN);
    conf.set(
        "fs.s3a.aws.credentials.provider",
        "org.apache.hadoop.fs.s3a.TemporaryAWSCredentialsProvider");
    conf.set("fs.s3a.encryption.algorithm", "SSE-C");
    conf.set("fs.s3a.encryption.key", CUSTOMER_KEY);
    List<String> tables = new ArrayList<>(List.of("listing-right", "snapshot-right"));
    List<String> faults = new ArrayList<>();
    for (Target target : TARGETS) {
      for (Map.Entry<Integer, String> quoted : QUOTED.entrySet()) {
        String name = target.name + "-" + quoted.getKey();
        tables.add(
            "put-delete-reread".contains(target.name) ? "snapshot-" + name : "listing-" + name);
        faults.add(
            """
            {"do": "error", "op": "%s", "key": "^%s/%s", "status": %d, "quotes": "%s"}"""
                .formatted(
                    target.operation,
                    tables.get(tables.size() - 1),
                    target.key,
                    quoted.getKey(),
                    quoted.getValue()));
      }
    }
    proxy.faults(faults.toString());

    String told = told(tables, Map.of());

    assertThat(proxy.hits()).as("hits of %s", faults).doesNotContain(0L);
    assertThat(told).contains("repave fault proxy").contains("(redacted)");
    assertNothingIsTold(told);
  }
}
