package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.HostileJson;
import io.repave.core.record.Readers;
import io.repave.core.record.SampleRecords;
import io.repave.core.store.Location;
import io.repave.testing.HeldObject;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A table with a hostile checkpoint: every use of it is refused, ends, and changes nothing. */
@Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileCheckpointTest {
  private static final int SEEDS = 300;
  private static final int JOBS = 9;

  /** A reader of the history finds these newest commits in the head's log, not in checkpoints. */
  private static final int LOG_KEPT = 32;

  private final TestTable table = new TestTable(Readers.SNAPSHOT);
  private Head head;

  @BeforeEach
  void aTableWithTwoCheckpoints() throws Exception {
    table.checkpointEvery(4);
    for (int job = 0; job < JOBS; job++) {
      table.commit(CommitKind.DYNAMIC, "dt=" + job % 3);
    }
    head = table.head();
    assertThat(head.checkpointVersion()).isEqualTo(8);
  }

  private Location newest() {
    return table.paths.checkpoint(head.checkpoint());
  }

  private Location shard() throws Exception {
    String name = SampleRecords.json(table.content(newest())).at("/shards/0/name").asText();
    return table.paths.checkpoint(name);
  }

  private void assertEveryUseIsRefused() {
    Map<Location, HeldObject> before = Map.copyOf(table.store.objects());
    Table opened = table.open();
    assertThatThrownBy(() -> opened.snapshot(head, head.version()))
        .isInstanceOf(InvalidRecordException.class);
    assertThatThrownBy(() -> opened.snapshot(head, 1)).isInstanceOf(InvalidRecordException.class);
    assertThatThrownBy(() -> opened.vacuum(0)).isInstanceOf(InvalidRecordException.class);
    assertThatThrownBy(() -> opened.vacuumDryRun(0)).isInstanceOf(InvalidRecordException.class);
    assertThat(table.store.objects()).isEqualTo(before);
  }

  @Test
  void aCheckpointThatNamesItselfAsItsPreviousIsRefused() throws Exception {
    table.rewrite(
        newest(),
        json ->
            json.replaceAll("\"previous\":\"[^\"]*\"", "\"previous\":\"" + head.checkpoint() + '"')
                .replaceAll("\"previous-version\":\\d+", "\"previous-version\":8"));
    assertEveryUseIsRefused();
  }

  @Test
  void twoCheckpointsThatNameEachOtherAreRefused() throws Exception {
    for (int job = 0; job < LOG_KEPT; job++) {
      table.commit(CommitKind.DYNAMIC, "dt=1");
    }
    head = table.head();
    String older = SampleRecords.json(table.content(newest())).get("previous").asText();
    table.rewrite(
        table.paths.checkpoint(older),
        json ->
            json.replaceAll("\"previous\":\"[^\"]*\"", "\"previous\":\"" + head.checkpoint() + '"')
                .replaceAll("\"previous-version\":\\d+", "\"previous-version\":3"));
    Map<Location, HeldObject> before = Map.copyOf(table.store.objects());
    assertThatThrownBy(() -> table.open().snapshot(head, 1))
        .isInstanceOf(InvalidRecordException.class);
    assertThatThrownBy(() -> table.history()).isInstanceOf(InvalidRecordException.class);
    assertThatThrownBy(() -> table.open().vacuum(0)).isInstanceOf(InvalidRecordException.class);
    assertThat(table.store.objects()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"record\":\"checkpoint\"|\"record\":\"token\"",
        "\"format\":1|\"format\":2",
        "\"version\":8|\"version\":9",
        "\"version\":8|\"version\":99999999999999999999",
        "\"files\":3|\"files\":-3",
        "\"first\":\"dt=0\"|\"first\":\"../dt=0\"",
        "\"last\":\"dt=2\"|\"last\":\"_repave/commits\"",
        "\"shards\":[{\"name\":\"|\"shards\":[{\"name\":\"../../x/",
        "\"previous\":\"|\"previous\":\"../commits/",
        "\"commits\":[{\"commit\":\"|\"commits\":[{\"commit\":\"../",
      })
  void aCheckpointWithAnImpossibleValueIsRefused(String change) throws Exception {
    String[] words = change.split("\\|");
    table.rewrite(newest(), json -> json.replace(words[0], words[1]));
    assertEveryUseIsRefused();
  }

  @Test
  void aCheckpointThatNamesAShardTwiceIsRefused() throws Exception {
    table.rewrite(
        newest(), json -> json.replaceAll("\"shards\":\\[(\\{[^}]*})", "\"shards\":[$1,$1"));
    assertEveryUseIsRefused();
  }

  @Test
  void aDamagedCheckpointIsRefused() throws Exception {
    damage(newest());
    assertEveryUseIsRefused();
  }

  @Test
  void aDamagedShardIsRefusedWhenItIsRead() throws Exception {
    damage(shard());
    Map<Location, HeldObject> before = Map.copyOf(table.store.objects());
    assertThatThrownBy(() -> table.open().snapshot(head, head.version()))
        .isInstanceOf(InvalidRecordException.class);
    assertThatThrownBy(() -> table.open().vacuum(0)).isInstanceOf(InvalidRecordException.class);
    assertThat(table.store.objects()).isEqualTo(before);
  }

  private void damage(Location at) throws IOException {
    byte[] bytes = table.content(at).clone();
    bytes[bytes.length / 2] ^= 1;
    table.store.put(at, ByteBuffer.wrap(bytes));
  }

  @ParameterizedTest
  @ValueSource(strings = {"../dt=9", "_repave/commits", "dt=1/_repave", "s3://", "/dt=1"})
  void aShardThatNamesAPlaceOutsideTheTableIsRefused(String place) throws Exception {
    table.rewrite(shard(), json -> json.replace("\"dt=1\"", "\"" + place + "\""));
    assertThatThrownBy(() -> table.open().snapshot(head, head.version()))
        .isInstanceOf(InvalidRecordException.class);
  }

  @Test
  void noHostileCheckpointMakesAReadOrACommitDeleteAFile() throws Exception {
    Map<String, String> before = table.data();
    byte[] goodHead = table.content(table.paths.head());
    int refused = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      Location at = random.nextBoolean() ? newest() : shard();
      byte[] good = table.content(at);
      String hostile = HostileJson.change(SampleRecords.json(good), random).toString();
      table.store.put(at, ByteBuffer.wrap(SampleRecords.sealed(hostile)));
      try {
        table.history();
        table.open().snapshot(head, 6);
        table.open().snapshot(head, head.version());
        table.open().rollback(9);
      } catch (IOException e) {
        refused++;
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + hostile, e);
      }
      assertThat(table.data()).as("seed %d: %s", seed, hostile).isEqualTo(before);
      table.store.put(at, ByteBuffer.wrap(good));
      table.store.put(table.paths.head(), ByteBuffer.wrap(goodHead));
    }
    System.out.printf("hostile checkpoints: seeds 0 to %d, %d refused%n", SEEDS - 1, refused);
    assertThat(refused).isGreaterThan(SEEDS / 10);
  }
}
