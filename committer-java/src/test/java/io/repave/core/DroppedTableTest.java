package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A table that is dropped, and perhaps begins anew in the same folder, while a job runs. */
class DroppedTableTest {
  /** Removes what lies below a folder, as a catalog's DROP or an operator does. */
  private static void remove(Lake lake, Location folder) throws IOException {
    List<Location> keys = new ArrayList<>(lake.store.objects().keySet());
    keys.removeIf(at -> !folder.holds(at));
    lake.store.delete(keys);
  }

  /** Snapshot readers would see the job's rows alone, though the old files are there. */
  @ParameterizedTest
  @CsvSource({
    "SNAPSHOT, APPEND", "SNAPSHOT, DYNAMIC", "SNAPSHOT, STATIC",
    "LISTING, APPEND", "LISTING, DYNAMIC", "LISTING, STATIC"
  })
  void aJobDoesNotBeginTheRecordsAnewThatWereThereWhenItBegan(Readers readers, CommitKind kind)
      throws Exception {
    Lake lake = new Lake(readers);
    lake.commit(CommitKind.APPEND, "dt=1", "dt=2");
    WriteTransaction job = lake.table().begin(lake.request(kind));
    Ledger ledger = Lake.ledger(lake.upload(job, List.of("dt=1")));
    remove(lake, lake.paths.records());
    assertThatThrownBy(() -> job.commit(ledger))
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("dropped");
    assertThat(job.abort(ledger)).isTrue();
    assertThat(lake.table().head()).isEmpty();
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001", "dt=2/commit-000001");
  }

  /** Versions of two tables cannot be compared: the new one's first commits would be missed. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void aJobReplacesNothingInATableThatBeganAnew(Readers readers) throws Exception {
    Lake lake = new Lake(readers);
    for (int version = 0; version < 4; version++) {
      lake.commit(CommitKind.APPEND, "dt=1");
    }
    WriteTransaction job = lake.table().begin(lake.request(CommitKind.DYNAMIC));
    Ledger ledger = Lake.ledger(lake.upload(job, List.of("dt=1")));
    remove(lake, lake.paths.root());
    lake.commit(CommitKind.APPEND, "dt=1");
    Map<String, String> before = lake.data();
    assertThatThrownBy(() -> job.commit(ledger)).isInstanceOf(CommitConflictException.class);
    assertThat(lake.data()).isEqualTo(before);
    assertThat(lake.recorded()).containsExactly("dt=1/commit-000006");
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void aJobWhoseTableIsDroppedAfterTheDecisionSaysSo(Readers readers) throws Exception {
    Lake lake = new Lake(readers);
    lake.commit(CommitKind.APPEND, "dt=1");
    boolean[] dropped = {false};
    Table table =
        lake.through(
            lake.turning(
                name -> {
                  if (!dropped[0] && isReserved(lake)) {
                    dropped[0] = true;
                    remove(lake, lake.paths.root());
                  }
                }));
    WriteTransaction job = table.begin(lake.request(CommitKind.APPEND));
    Ledger ledger = Lake.ledger(lake.upload(job, List.of("dt=1")));
    assertThatThrownBy(() -> job.commit(ledger))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("dropped");
    assertThat(dropped).containsExactly(true);
    assertThat(job.abort(ledger)).as("it was decided once").isFalse();
    assertThat(lake.table().head()).isEmpty();
  }

  private static boolean isReserved(Lake lake) {
    try {
      return lake.table().head().filter(head -> !head.active().isEmpty()).isPresent();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** The oldest version of the old table would make every version of the new one unreadable. */
  @Test
  void aVacuumThatMeetsANewTableTouchesNothingOfIt() throws Exception {
    Lake lake = new Lake(Readers.SNAPSHOT);
    for (int version = 0; version < 4; version++) {
      lake.commit(CommitKind.DYNAMIC, "dt=1");
    }
    lake.clock.advance(1_000_000);
    boolean[] dropped = {false};
    Table table =
        lake.through(
            lake.turning(
                name -> {
                  if (name.equals("putIfMatch") && !dropped[0]) {
                    dropped[0] = true;
                    remove(lake, lake.paths.root());
                    commit(lake);
                  }
                }));
    assertThatThrownBy(() -> table.vacuum(0)).isInstanceOf(CommitConflictException.class);
    Head head = lake.table().head().orElseThrow();
    assertThat(head.oldestVersion()).isLessThanOrEqualTo(head.version());
    assertThat(lake.recorded()).containsExactly("dt=1/commit-000005");
    assertThat(lake.writers()).containsExactly("dt=1/commit-000005");
  }

  /** Its tasks would put files where readers that list see them before the commit. */
  @Test
  void ofTwoFirstJobsThatDisagreeAboutTheReadersTheSlowerIsRefused() throws Exception {
    Lake lake = new Lake();
    Lake slower = new Lake(lake, lake.paths.root(), Readers.SNAPSHOT, 100);
    boolean[] beaten = {false};
    Table table =
        slower.through(
            slower.turning(
                name -> {
                  if (name.equals("putIfAbsent") && !beaten[0]) {
                    beaten[0] = true;
                    commit(lake);
                  }
                }));
    assertThatThrownBy(() -> table.begin(slower.request(CommitKind.APPEND)))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("repave.readers=listing");
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001");
  }

  private static void commit(Lake lake) throws IOException {
    try {
      lake.commit(CommitKind.APPEND, "dt=1");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
