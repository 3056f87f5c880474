package io.repave.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.hadoop.runtime.BoundedParallelRunner;
import io.repave.testing.EmbeddedS3;
import io.repave.testing.LabProcess;
import io.repave.testing.LyingS3;
import io.repave.testing.LyingS3.Lie;
import io.repave.testing.StubS3;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * The jar's probe and {@code repave doctor} come to one verdict on each store that lies, and on one
 * that does not.
 */
@Tag("http")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StoreChecksHttpTest {
  private static final Location RECORDS = new Location("lake", "t/_repave");

  private static final Map<Lie, StoreCheck> SHOWN_BY =
      Map.ofEntries(
          Map.entry(Lie.REJECTS_IF_NONE_MATCH, StoreCheck.CREATE_SUPPORTED),
          Map.entry(Lie.IGNORES_IF_NONE_MATCH, StoreCheck.CREATE_RACE),
          Map.entry(Lie.REFUSES_EVERY_CREATE, StoreCheck.CREATE_ABSENT),
          Map.entry(Lie.REJECTS_IF_MATCH, StoreCheck.SWAP_SUPPORTED),
          Map.entry(Lie.IGNORES_IF_MATCH, StoreCheck.SWAP_RACE),
          Map.entry(Lie.FORGETS_IF_MATCH_AFTER_A_RACE, StoreCheck.SWAP_LATE),
          Map.entry(Lie.REFUSES_EVERY_SWAP, StoreCheck.SWAP_CURRENT),
          Map.entry(Lie.REJECTS_START_AFTER, StoreCheck.LIST_SUPPORTED),
          Map.entry(Lie.IGNORES_START_AFTER, StoreCheck.LIST_ORDER),
          Map.entry(Lie.LISTS_IN_REVERSE, StoreCheck.LIST_ORDER),
          Map.entry(Lie.COMPLETES_ABORTED_UPLOADS, StoreCheck.ABORTED_UPLOAD_FAILS),
          Map.entry(Lie.CONFUSES_ABORTED_UPLOADS, StoreCheck.ABORTED_UPLOAD_TOLD),
          Map.entry(Lie.KEEPS_OBJECTS, StoreCheck.DELETE));

  private EmbeddedS3 server;
  @TempDir private Path folder;

  @BeforeAll
  void start() throws IOException {
    server = EmbeddedS3.start("ministack");
    server.createBucket("lake");
  }

  @AfterAll
  void stop() throws IOException {
    server.close();
  }

  @Test
  void everyCheckHasAStoreThatFailsIt() {
    assertThat(EnumSet.copyOf(SHOWN_BY.values()))
        .isEqualTo(EnumSet.complementOf(EnumSet.of(StoreCheck.GENERAL_PURPOSE_BUCKET)));
  }

  @ParameterizedTest
  @EnumSource(value = Lie.class, mode = Mode.EXCLUDE, names = "DENIES_WRITES")
  void theDoctorAndTheJarFindTheSame(Lie lie) throws Exception {
    Set<StoreCheck> expected = lie == Lie.NONE ? Set.of() : Set.of(SHOWN_BY.get(lie));

    Capabilities byTheJar = probe(lie);
    Doctor byTheDoctor = doctor(lie, "lake");

    assertThat(byTheJar.failed().keySet()).isEqualTo(expected);
    assertThat(byTheDoctor.failed()).isEqualTo(expected);
    // The doctor is stricter once: a job begins where it may not delete, and fails later.
    boolean isRefused = !byTheJar.isSafe() || lie == Lie.KEEPS_OBJECTS;
    assertThat(byTheDoctor.exit()).as(byTheDoctor.toString()).isEqualTo(isRefused ? 1 : 0);
  }

  @Test
  void aStoreThatCannotBeTriedOutIsBlessedByNeither() throws Exception {
    assertThatThrownBy(() -> probe(Lie.DENIES_WRITES))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.DENIED));
    Doctor byTheDoctor = doctor(Lie.DENIES_WRITES, "lake");
    assertThat(byTheDoctor.exit()).isEqualTo(1);
    assertThat(byTheDoctor.fixes()).contains("allow s3:PutObject");
  }

  @Test
  void aDirectoryBucketIsRefusedByBoth() throws Exception {
    String bucket = "lake--use1-az4--x-s3";
    try (StubS3 stub = stub(Lie.NONE);
        FileSystem files = stub.files(bucket, stub.configuration())) {
      assertThatThrownBy(() -> S3Stores.open(name -> files).head(new Location(bucket, "t")))
          .hasMessageContaining(StoreCheck.GENERAL_PURPOSE_BUCKET.sentence());
    }
    Doctor byTheDoctor = doctor(Lie.NONE, bucket);
    assertThat(byTheDoctor.failed()).containsExactly(StoreCheck.GENERAL_PURPOSE_BUCKET);
    assertThat(byTheDoctor.exit()).isEqualTo(1);
  }

  private StubS3 stub(Lie lie) throws IOException {
    return new StubS3(new LyingS3(server.endpoint(), lie, CapabilityProbe.RACERS));
  }

  private Capabilities probe(Lie lie) throws IOException, InterruptedException {
    try (StubS3 stub = stub(lie);
        FileSystem files = stub.files("lake", stub.configuration())) {
      ObjectStore store = S3Stores.open(bucket -> files);
      return new CapabilityProbe(
              store, RECORDS, new BoundedParallelRunner("probe", CapabilityProbe.RACERS))
          .run();
    }
  }

  /** What the doctor found: its exit code and its findings. */
  private record Doctor(int exit, List<JsonNode> findings) {
    Set<StoreCheck> failed() {
      Set<StoreCheck> failed = EnumSet.noneOf(StoreCheck.class);
      for (StoreCheck check : StoreCheck.values()) {
        if (findings.stream().anyMatch(one -> text(one, "text").startsWith(check.sentence()))) {
          failed.add(check);
        }
      }
      return failed;
    }

    List<String> fixes() {
      return findings.stream().map(one -> text(one, "fix")).toList();
    }

    private static String text(JsonNode finding, String name) {
      return finding.required(name).asText();
    }
  }

  private Doctor doctor(Lie lie, String bucket) throws IOException, InterruptedException {
    try (StubS3 stub = stub(lie)) {
      List<String> command =
          List.of(
              LabProcess.python().toString(),
              "-c",
              "from repave.cli import main; main()",
              "doctor",
              "s3://" + bucket + "/t",
              "--endpoint-url",
              stub.configuration().get("fs.s3a.endpoint"),
              "--json");
      Path errors = Files.createTempFile(folder, "doctor-", ".log");
      ProcessBuilder doctor = new ProcessBuilder(command).redirectError(errors.toFile());
      Map<String, String> environment = doctor.environment();
      environment.remove("AWS_PROFILE");
      environment.put("AWS_ACCESS_KEY_ID", "stub-access");
      environment.put("AWS_SECRET_ACCESS_KEY", "stub-secret");
      environment.put("AWS_REGION", "us-east-1");
      Process process = doctor.start();
      String told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int exit = process.waitFor();
      assertThat(told).as(Files.readString(errors)).startsWith("[");
      List<JsonNode> findings = new ArrayList<>();
      new ObjectMapper().readTree(told).forEach(findings::add);
      return new Doctor(exit, findings);
    }
  }
}
