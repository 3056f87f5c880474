package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.HostileJson;
import io.repave.core.record.Readers;
import io.repave.core.record.SampleRecords;
import io.repave.core.store.Location;
import io.repave.testing.HeldObject;
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

  /** What the head's log holds, a reader of the history does not look for in checkpoints. */
  private static final int LOG_KEPT = 32;

  private final Lake lake = new Lake(Readers.SNAPSHOT);
  private Head head;

  @BeforeEach
  void aTableWithTwoCheckpoints() throws Exception {
    lake.checkpointEvery(4);
    for (int job = 0; job < JOBS; job++) {
      lake.commit(CommitKind.DYNAMIC, "dt=" + job % 3);
    }
    head = lake.table().head().orElseThrow();
    assertThat(head.checkpointVersion()).isEqualTo(8);
  }

  private Location newest() {
    return lake.paths.checkpoint(head.checkpoint());
  }

  private Location shard() throws Exception {
    String name = SampleRecords.json(lake.content(newest())).at("/shards/0/name").asText();
    return lake.paths.checkpoint(name);
  }

  private void assertEveryUseIsRefused() {
    Map<Location, HeldObject> before = Map.copyOf(lake.store.objects());
    Table table = lake.table();
    assertThatThrownBy(() -> table.snapshot(head, head.version()))
        .isInstanceOf(InvalidRecordException.class);
    assertThatThrownBy(() -> table.snapshot(head, 1)).isInstanceOf(InvalidRecordException.class);
    assertThatThrownBy(() -> table.vacuum(0)).isInstanceOf(InvalidRecordException.class);
    assertThatThrownBy(() -> table.rehearseVacuum(0)).isInstanceOf(InvalidRecordException.class);
    assertThat(lake.store.objects()).isEqualTo(before);
  }

  @Test
  void aCheckpointThatNamesItselfAsItsPreviousIsRefused() throws Exception {
    lake.rewrite(
        newest(),
        json ->
            json.replaceAll("\"previous\":\"[^\"]*\"", "\"previous\":\"" + head.checkpoint() + '"')
                .replaceAll("\"previous-version\":\\d+", "\"previous-version\":8"));
    assertEveryUseIsRefused();
  }

  @Test
  void twoCheckpointsThatNameEachOtherAreRefused() throws Exception {
    for (int job = 0; job < LOG_KEPT; job++) {
      lake.commit(CommitKind.DYNAMIC, "dt=1");
    }
    head = lake.table().head().orElseThrow();
    String older = SampleRecords.json(lake.content(newest())).get("previous").asText();
    lake.rewrite(
        lake.paths.checkpoint(older),
        json ->
            json.replaceAll("\"previous\":\"[^\"]*\"", "\"previous\":\"" + head.checkpoint() + '"')
                .replaceAll("\"previous-version\":\\d+", "\"previous-version\":3"));
    Map<Location, HeldObject> before = Map.copyOf(lake.store.objects());
    assertThatThrownBy(() -> lake.table().snapshot(head, 1))
        .isInstanceOf(InvalidRecordException.class);
    assertThatThrownBy(() -> lake.table().history()).isInstanceOf(InvalidRecordException.class);
    assertThatThrownBy(() -> lake.table().vacuum(0)).isInstanceOf(InvalidRecordException.class);
    assertThat(lake.store.objects()).isEqualTo(before);
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
  void aCheckpointThatSaysWhatNoneSaysIsRefused(String change) throws Exception {
    String[] words = change.split("\\|");
    lake.rewrite(newest(), json -> json.replace(words[0], words[1]));
    assertEveryUseIsRefused();
  }

  @Test
  void aDamagedCheckpointIsRefused() throws Exception {
    damage(newest());
    assertEveryUseIsRefused();
  }

  @Test
  void aDamagedShardIsRefusedByWhoeverReadsIt() throws Exception {
    damage(shard());
    Map<Location, HeldObject> before = Map.copyOf(lake.store.objects());
    assertThatThrownBy(() -> lake.table().snapshot(head, head.version()))
        .isInstanceOf(InvalidRecordException.class);
    assertThatThrownBy(() -> lake.table().vacuum(0)).isInstanceOf(InvalidRecordException.class);
    assertThat(lake.store.objects()).isEqualTo(before);
  }

  private void damage(Location at) throws IOException {
    byte[] bytes = lake.content(at).clone();
    bytes[bytes.length / 2] ^= 1;
    lake.store.put(at, ByteBuffer.wrap(bytes));
  }

  @ParameterizedTest
  @ValueSource(strings = {"../dt=9", "_repave/commits", "dt=1/_repave", "s3://", "/dt=1"})
  void aShardThatNamesAPlaceOutsideTheTableIsRefused(String place) throws Exception {
    lake.rewrite(shard(), json -> json.replace("\"dt=1\"", "\"" + place + "\""));
    assertThatThrownBy(() -> lake.table().snapshot(head, head.version()))
        .isInstanceOf(InvalidRecordException.class);
  }

  @Test
  void noHostileCheckpointMakesAReadOrACommitDeleteAFile() throws Exception {
    Map<String, String> before = lake.data();
    byte[] goodHead = lake.content(lake.paths.head());
    int refused = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      Location at = random.nextBoolean() ? newest() : shard();
      byte[] good = lake.content(at);
      String hostile = HostileJson.change(SampleRecords.json(good), random).toString();
      lake.store.put(at, ByteBuffer.wrap(SampleRecords.sealed(hostile)));
      try {
        lake.table().history();
        lake.table().snapshot(head, 6);
        lake.table().snapshot(head, head.version());
        lake.table().rollback(9);
      } catch (IOException e) {
        refused++;
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + hostile, e);
      }
      assertThat(lake.data()).as("seed %d: %s", seed, hostile).isEqualTo(before);
      lake.store.put(at, ByteBuffer.wrap(good));
      lake.store.put(lake.paths.head(), ByteBuffer.wrap(goodHead));
    }
    System.out.printf("hostile checkpoints: seeds 0 to %d, %d refused%n", SEEDS - 1, refused);
    assertThat(refused).isGreaterThan(SEEDS / 10);
  }
}
