package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.engine.Step;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.HostileJson;
import io.repave.core.record.Readers;
import io.repave.core.record.SampleRecords;
import io.repave.core.store.Location;
import io.repave.testing.ProcessDied;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Several hostile records, which agree with each other or contradict each other. An attacker who
 * may write into {@code _repave/} cannot make Repave delete files outside the table.
 */
class HostileRecordSetsTest {
  private static final int SEEDS = 1_500;
  private static final Location VICTIM = new Location("other", "table/part-00000-x");
  private static final List<String> KINDS =
      List.of("append", "dynamic", "static", "rollback", "adopt");

  private TestTable table;
  private CommitId unfinished;
  private String replacedFile;

  /** A table with an unfinished, planned commit that replaces dt=1. The victim is another table. */
  private void table(Readers readers) throws Exception {
    table = new TestTable(readers);
    table.store.put(VICTIM, ByteBuffer.wrap(new byte[] {1}));
    table.commit(CommitKind.DYNAMIC, "dt=1", "dt=9");
    unfinished = table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    replacedFile =
        table.files().stream()
            .filter(key -> key.startsWith("dt=1/") && key.contains(TestTable.id(1)))
            .findFirst()
            .orElseThrow()
            .substring("dt=1/".length());
  }

  private void everywhere(String from, String to) throws IOException {
    for (Location at : records()) {
      String json = SampleRecords.json(table.content(at)).toString().replace(from, to);
      table.store.put(at, ByteBuffer.wrap(SampleRecords.sealed(json)));
    }
  }

  private List<Location> records() {
    return List.of(
        table.paths.head(), table.paths.uploads(unfinished), table.paths.manifest(unfinished));
  }

  /** Makes the manifest delete the victim instead of the file that was replaced. */
  private void planDeletesTheVictim() throws IOException {
    table.rewrite(
        table.paths.manifest(unfinished),
        json ->
            json.replace("\"partition\":\"dt=1\"", "\"partition\":\"s3://other/table\"")
                .replace(replacedFile, "part-00000-x"));
  }

  @Test
  void aRollbackOnAListingTableIsRefusedByRecoveryAndByTheNextJob() throws Exception {
    table(Readers.LISTING);
    everywhere("\"kind\":\"dynamic\"", "\"kind\":\"rollback\"");
    planDeletesTheVictim();
    Map<String, String> before = new TreeMap<>(table.data());
    assertThatThrownBy(() -> table.open().recover())
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("has no rollbacks");
    table.clock.advance(61_000);
    assertThatThrownBy(() -> table.open().begin(table.request(CommitKind.DYNAMIC)))
        .isInstanceOf(InvalidRecordException.class);
    assertThat(table.data()).isEqualTo(before);
  }

  @Test
  void aLedgerOfAnotherKindThanTheHeadSaysIsRefused() throws Exception {
    table(Readers.LISTING);
    for (Location at : records().subList(1, 3)) {
      table.rewrite(at, json -> json.replace("\"kind\":\"dynamic\"", "\"kind\":\"static\""));
    }
    assertThatThrownBy(() -> table.open().recover())
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("another kind of commit than the head says");
  }

  @Test
  void aManifestThatAddsFilesOfAnotherCommitIsRefused() throws Exception {
    table(Readers.SNAPSHOT);
    table.rewrite(
        table.paths.manifest(unfinished),
        json -> json.replace("-" + TestTable.id(2) + "-1", "-" + TestTable.id(7) + "-1"));
    assertThatThrownBy(() -> table.open().recover())
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("did not write");
  }

  @Test
  void aManifestThatAddsFilesInTheFolderOfAnotherCommitIsRefused() throws Exception {
    table(Readers.SNAPSHOT);
    table.rewrite(
        table.paths.manifest(unfinished),
        json ->
            json.replace(
                "part-00000-" + TestTable.id(2),
                "@" + TestTable.id(7) + "/part-00000-" + TestTable.id(2)));
    assertThatThrownBy(() -> table.open().recover())
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("did not write");
  }

  @Test
  void aRollbackToFilesOutsideNeedsTheFolderToBeAllowed() throws Exception {
    table(Readers.SNAPSHOT);
    table.open().recover();
    CommitId rollback = rollbackThatDies();
    table.rewrite(
        table.paths.manifest(rollback),
        json -> json.replace("\"partition\":\"dt=1\"", "\"partition\":\"s3://other/table\""));
    assertThatThrownBy(() -> table.open().recover())
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("repave.locations.allowed");
  }

  private CommitId rollbackThatDies() throws Exception {
    try {
      table.dyingAt(Step.COMPLETE_UPLOADS).rollback(1);
    } catch (ProcessDied end) {
      return table.head().active().get(0).id();
    }
    throw new AssertionError("the rollback did not die");
  }

  @Test
  void noSetOfHostileRecordsChangesAnythingOutsideTheTable() throws Exception {
    int refused = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      table(random.nextInt(3) == 0 ? Readers.SNAPSHOT : Readers.LISTING);
      change(random);
      for (int use = 0; use < 2; use++) {
        refused += used(random, seed) ? 0 : 1;
      }
      assertThat(table.store.head(VICTIM)).as("seed %d", seed).isPresent();
      assertThat(table.store.objects().keySet())
          .as("seed %d", seed)
          .allMatch(at -> at.equals(VICTIM) || table.paths.root().holds(at));
    }
    System.out.printf("hostile record sets: seeds 0 to %d, %d uses refused%n", SEEDS - 1, refused);
    assertThat(refused).isBetween(SEEDS / 10, 2 * SEEDS - SEEDS / 10);
  }

  /** Makes some changes in several records alike, so that the records agree with each other. */
  private void change(Random random) throws IOException {
    String kind = KINDS.get(random.nextInt(KINDS.size()));
    String folder =
        random.nextBoolean() ? "s3://other/table" : List.of("", "dt=9").get(random.nextInt(2));
    String scope = random.nextBoolean() ? folder : "";
    boolean names = random.nextBoolean();
    for (Location at : records()) {
      String json = SampleRecords.json(table.content(at)).toString();
      if (random.nextInt(4) != 0) {
        json = json.replace("\"kind\":\"dynamic\"", "\"kind\":\"" + kind + "\"");
      }
      if (random.nextInt(4) != 0) {
        json = json.replace("\"dt=1\"", "\"" + folder + "\"");
      }
      if (random.nextInt(2) == 0) {
        json = json.replace("\"scope\":[]", "\"scope\":[\"" + scope + "\"]");
      }
      if (names) {
        json = json.replace(replacedFile, "part-00000-x");
      }
      if (random.nextInt(4) == 0) {
        json = json.replace("\"pending\"", random.nextBoolean() ? "\"cleaning\"" : "\"reverting\"");
      }
      if (random.nextInt(6) == 0) {
        ObjectNode tree = SampleRecords.json(SampleRecords.sealed(json));
        json = HostileJson.change(tree, random).toString();
      }
      table.store.put(at, ByteBuffer.wrap(SampleRecords.sealed(json)));
    }
  }

  /** Uses the table in a random way. False when that was refused. */
  private boolean used(Random random, long seed) throws InterruptedException {
    try {
      switch (random.nextInt(6)) {
        case 0 -> table.open().vacuum(0);
        case 1 -> table.open().adopt();
        case 2 -> table.open().rollback(1);
        case 3 -> {
          table.clock.advance(61_000);
          table.commit(CommitKind.DYNAMIC, "dt=1");
        }
        default -> table.open().recover();
      }
      return true;
    } catch (IOException e) {
      Refusal.requireNoBug(e, "seed " + seed);
      return false;
    } catch (RuntimeException e) {
      throw new AssertionError("seed " + seed, e);
    }
  }
}
