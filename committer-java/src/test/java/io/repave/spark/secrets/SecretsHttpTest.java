package io.repave.spark.secrets;

import static io.repave.testing.Canaries.ACCESS;
import static io.repave.testing.Canaries.SECRET;
import static io.repave.testing.Canaries.TOKEN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.s3.S3Stores;
import io.repave.testing.Canaries;
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
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.alias.CredentialProvider;
import org.apache.hadoop.security.alias.CredentialProviderFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Secrets over HTTP: jobs that succeed and jobs that fail at each kind of request, with credentials
 * from every source, on a server whose errors quote the request's headers. No secret may be in a
 * log (Repave's at DEBUG), in an exception or in an object of the store.
 */
@Tag("http")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SecretsHttpTest {

  /** The failing requests: an operation, and its keys. */
  private record Target(String name, String operation, String key, boolean isOfSnapshots) {
    static Target ofListing(String name, String operation, String key) {
      return new Target(name, operation, key, false);
    }

    static Target ofSnapshots(String name, String operation, String key) {
      return new Target(name, operation, key, true);
    }
  }

  private static final List<Target> TARGETS =
      List.of(
          Target.ofListing("create", "CreateMultipartUpload", ""),
          Target.ofListing("part", "UploadPart", ""),
          Target.ofListing("complete", "CompleteMultipartUpload", ""),
          Target.ofListing("abort", "AbortMultipartUpload", ""),
          Target.ofListing("uploads", "ListMultipartUploads", ""),
          Target.ofListing("head", "PutObject", "_repave/head"),
          Target.ofListing("record", "PutObject", "_repave/commits/"),
          Target.ofSnapshots("put", "PutObject", ".*part-"),
          Target.ofListing("read", "GetObject", "_repave/head"),
          Target.ofSnapshots("reread", "GetObject", "_repave/commits/"),
          Target.ofListing("list", "ListObjectsV2", ""),
          Target.ofSnapshots("delete", "DeleteObjects", ""));

  private static final List<Target> FEW = List.of(TARGETS.get(1), TARGETS.get(5));

  /** A header that an error repeats. */
  private record Quote(int status, String header) {}

  private static final List<Quote> QUOTES =
      List.of(
          new Quote(403, "Authorization"),
          new Quote(500, "x-amz-security-token"),
          new Quote(400, "x-amz-server-side-encryption-customer-key"));

  @TempDir private Path folder;
  private EmbeddedS3 server;
  private LabProxy proxy;
  private Configuration conf;

  @BeforeAll
  void start() throws IOException {
    server = EmbeddedS3.start("ministack");
    proxy = LabProxy.before(server);
  }

  @AfterAll
  void stop() throws IOException {
    proxy.close();
    server.close();
  }

  /** A user's settings without credentials, for a bucket of this test. */
  private void configure(String bucket) throws IOException {
    server.createBucket(bucket);
    proxy.reset();
    conf = new Configuration(false);
    server.configuration(proxy.endpoint()).forEach(each -> copy(each.getKey(), each.getValue()));
    conf.unset("fs.s3a.access.key");
    conf.unset("fs.s3a.secret.key");
    conf.set("test.bucket", bucket);
    conf.set("test.past.the.proxy", server.endpoint());
    conf.set("fs.s3.impl", "org.apache.hadoop.fs.s3a.S3AFileSystem");
    conf.set("fs.repave.impl", RepaveFileSystem.class.getName());
    conf.set("repave.retry.budget", "1ms");
    conf.set("repave.lease", "1s");
    conf.set("repave.drain", "5s");
    conf.setInt("fs.s3a.attempts.maximum", 0);
  }

  private void copy(String key, String value) {
    if (key.startsWith("fs.s3a.") && !value.isEmpty()) {
      conf.set(key, value);
    }
  }

  /** Runs the program on these tables and reads all its output. */
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
    // A short program takes half the time without the second compiler.
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
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

  /** Every object of the bucket by its key, decompressed if it is compressed. */
  private Map<String, String> left() throws IOException {
    Map<String, String> left = new TreeMap<>();
    Location root = new Location(conf.get("test.bucket"), "");
    Configuration plain = server.configuration(server.endpoint());
    if (conf.get("fs.s3a.encryption.key") != null) {
      plain.set("fs.s3a.encryption.algorithm", conf.get("fs.s3a.encryption.algorithm"));
      plain.set("fs.s3a.encryption.key", conf.get("fs.s3a.encryption.key"));
    }
    try (FileSystem files = EmbeddedS3.files(root.bucket(), plain)) {
      ObjectStore store = S3Stores.open(bucket -> files);
      ListPage page = store.list(root, "");
      while (true) {
        for (ListedObject each : page.objects()) {
          Location at = new Location(root.bucket(), each.key());
          byte[] content = store.read(at, 1 << 24).orElseThrow().content();
          left.put(each.key(), text(each.key(), content));
        }
        if (!page.more()) {
          return left;
        }
        page = store.list(root, page.last());
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
    for (String canary : Canaries.ALL) {
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
    assertThat(told).contains("DEBUG io.repave.spark").contains("INFO io.repave.spark");
  }

  /** Makes requests of one kind fail with a quoted header. Returns the name of the table. */
  private static String fault(Target target, Quote quote, List<String> faults) {
    String readers = target.isOfSnapshots ? "snapshot-" : "listing-";
    String table = readers + target.name + "-" + quote.status;
    faults.add(
        """
        {"do": "error", "op": "%s", "key": "^%s/%s", "status": %d, "quotes": "%s"}"""
            .formatted(target.operation, table, target.key, quote.status, quote.header));
    return table;
  }

  private void assertQuietAmong(List<Target> targets, Map<String, String> environment)
      throws IOException, InterruptedException {
    List<String> tables = new ArrayList<>(List.of("listing-right", "snapshot-right"));
    List<String> faults = new ArrayList<>();
    for (Target target : targets) {
      for (Quote quote : QUOTES) {
        tables.add(fault(target, quote, faults));
      }
    }
    proxy.faults(faults.toString());

    String told = told(tables, environment);

    assertThat(proxy.hits()).as("hits of %s", faults).doesNotContain(0L);
    assertThat(told).contains("repave fault proxy").contains("(redacted)");
    assertThat(told).contains("listing-right met 0 exceptions");
    assertThat(told).contains("snapshot-right met 0 exceptions");
    assertNothingIsTold(told);
  }

  /** Temporary credentials and a customer's key: all secrets of a request. */
  @Test
  void jobsThatFailAnywhereTellNoSecretThatTheStoreQuotes() throws Exception {
    configure("session");
    Canaries.set(conf);

    assertQuietAmong(TARGETS, Map.of());
  }

  @Test
  void keysInACredentialFileAreNotTold() throws Exception {
    configure("file");
    String file = "localjceks://file" + folder.resolve("keys.jceks");
    conf.set("hadoop.security.credential.provider.path", file);
    CredentialProvider keys = CredentialProviderFactory.getProviders(conf).get(0);
    keys.createCredentialEntry("fs.s3a.access.key", ACCESS.toCharArray());
    keys.createCredentialEntry("fs.s3a.secret.key", SECRET.toCharArray());
    keys.flush();

    assertQuietAmong(FEW, Map.of());
  }

  @Test
  void credentialsOfTheEnvironmentAreNotTold() throws Exception {
    configure("environment");

    assertQuietAmong(
        FEW,
        Map.of(
            "AWS_ACCESS_KEY_ID", ACCESS,
            "AWS_SECRET_ACCESS_KEY", SECRET,
            "AWS_SESSION_TOKEN", TOKEN));
  }

  @Test
  void credentialsOfAProfileAreNotTold() throws Exception {
    configure("profile");
    conf.set(
        "fs.s3a.aws.credentials.provider",
        "software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider");
    Path profiles = folder.resolve("credentials");
    Files.writeString(
        profiles,
        "[lake]\naws_access_key_id = %s\naws_secret_access_key = %s\naws_session_token = %s\n"
            .formatted(ACCESS, SECRET, TOKEN));

    assertQuietAmong(
        FEW, Map.of("AWS_PROFILE", "lake", "AWS_SHARED_CREDENTIALS_FILE", profiles.toString()));
  }
}
