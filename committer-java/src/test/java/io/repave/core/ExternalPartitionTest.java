package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.CommitNames;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

/** Partitions that live outside the table's folder: under another prefix, in another bucket. */
class ExternalPartitionTest {
  private static final String PREFIX = "s3://lake/archive/dt=8";
  private static final String BUCKET = "s3://cold/sales/dt=9";

  private final Lake lake = new Lake();

  private static Location place(String folder) {
    String[] parts = folder.substring("s3://".length()).split("/", 2);
    return new Location(parts[0], parts[1]);
  }

  private void allow(String... folders) {
    List<Location> allowed = List.of(folders).stream().map(it -> place(it)).toList();
    lake.settings = lake.settings.change().allowed(allowed).done();
  }

  /** Every data file of the store as {@code folder/commit}. */
  private Set<String> writers() {
    Set<String> writers = new TreeSet<>();
    lake.data().keySet().stream()
        .filter(key -> !key.endsWith("_SUCCESS"))
        .forEach(key -> writers.add(Lake.writer(key)));
    return writers;
  }

  /** A file under each place, and beside each, that a commit must leave alone. */
  private void neighbours() throws Exception {
    for (String key : List.of("archive/dt=80/old", "archive/dt=7/old")) {
      lake.store.put(new Location("lake", key), ByteBuffer.wrap(new byte[] {1}));
    }
    lake.store.put(new Location("cold", "sales/dt=90/old"), ByteBuffer.wrap(new byte[] {1}));
    lake.store.put(new Location("lake", "sales/dt=9/old"), ByteBuffer.wrap(new byte[] {1}));
  }

  private static final String[] NEIGHBOURS = {
    "s3://lake/archive/dt=80/old",
    "s3://lake/archive/dt=7/old",
    "s3://cold/sales/dt=90/old",
    "s3://lake/sales/dt=9/old"
  };

  @ParameterizedTest
  @ValueSource(strings = {PREFIX, BUCKET})
  void anAppendAddsThere(String folder) throws Exception {
    neighbours();
    lake.commit(CommitKind.APPEND, "dt=1", folder);
    lake.commit(CommitKind.APPEND, folder);
    assertThat(writers())
        .contains(NEIGHBOURS)
        .contains(
            "s3://lake/sales/dt=1/commit-000001",
            folder + "/commit-000001",
            folder + "/commit-000002")
        .hasSize(7);
  }

  @ParameterizedTest
  @ValueSource(strings = {PREFIX, BUCKET})
  void aDynamicOverwriteReplacesWhatLiesThereAndNothingBesideIt(String folder) throws Exception {
    neighbours();
    lake.commit(CommitKind.APPEND, "dt=1", folder, folder + "/hour=1");
    lake.commit(CommitKind.DYNAMIC, folder);
    assertThat(writers())
        .contains(NEIGHBOURS)
        .contains("s3://lake/sales/dt=1/commit-000001", folder + "/commit-000002")
        .hasSize(6);
  }

  @ParameterizedTest
  @ValueSource(strings = {PREFIX, BUCKET})
  void aStaticOverwriteReplacesItWhenItsScopeNamesIt(String folder) throws Exception {
    lake.commit(CommitKind.APPEND, "dt=1", folder);
    String commit = lake.request(CommitKind.STATIC).commit();
    String word = CommitNames.word(commit);
    List<String> scope = List.of("", folder);
    lake.commit(
        new CommitRequest(commit, CommitKind.STATIC, scope, "", ""), List.of("dt=2", folder));
    assertThat(writers())
        .containsExactlyInAnyOrder("s3://lake/sales/dt=2/" + word, folder + "/" + word);
  }

  @Test
  void aStaticOverwriteOfTheTablesFolderAloneLeavesOtherPlacesAlone() throws Exception {
    lake.commit(CommitKind.APPEND, "dt=1", BUCKET);
    lake.commit(CommitKind.STATIC, "dt=2");
    assertThat(writers())
        .containsExactlyInAnyOrder("s3://lake/sales/dt=2/commit-000002", BUCKET + "/commit-000001");
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      mode = Mode.EXCLUDE,
      names = {"RECORD_UPLOADS", "RESERVE", "VERIFY", "REVERT"})
  void aRecoveryFinishesThereWhenThePlaceIsAllowed(Step death) throws Exception {
    for (String folder : List.of(PREFIX, BUCKET)) {
      lake.store.delete(List.of(lake.paths.head()));
      allow(folder);
      lake.commit(CommitKind.DYNAMIC, "dt=1", folder);
      CommitId dead = lake.unfinished(death, CommitKind.DYNAMIC, folder);
      assertThat(lake.table().recover()).hasSize(1);
      assertThat(writers()).contains(folder + "/" + CommitNames.word(dead.id()));
      assertThat(writers()).filteredOn(it -> it.startsWith(folder + "/")).hasSize(1);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      mode = Mode.EXCLUDE,
      names = {"RECORD_UPLOADS", "RESERVE", "VERIFY", "REVERT"})
  void aRecoveryThatMayNotActThereChangesNothingAndNamesTheSetting(Step death) throws Exception {
    lake.commit(CommitKind.DYNAMIC, "dt=1", BUCKET);
    lake.unfinished(death, CommitKind.DYNAMIC, "dt=1", BUCKET);
    for (String[] allowed : new String[][] {{}, {PREFIX}, {BUCKET + "0"}, {BUCKET + "/hour=1"}}) {
      allow(allowed);
      Map<String, String> before = lake.data();
      int uploads = lake.store.openUploads().size();
      assertThatThrownBy(() -> lake.table().recover())
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining(BUCKET)
          .hasMessageContaining("repave.locations.allowed");
      assertThat(lake.data()).isEqualTo(before);
      assertThat(lake.store.openUploads()).hasSize(uploads);
    }
    allow("s3://cold/sales");
    lake.table().recover();
    assertThat(writers())
        .containsExactlyInAnyOrder("s3://lake/sales/dt=1/commit-000002", BUCKET + "/commit-000002");
  }

  @ParameterizedTest
  @ValueSource(strings = {PREFIX, BUCKET})
  void whatLostAttemptsLeftOpenThereIsGivenUpWhenTheJobIsOver(String folder) throws Exception {
    WriteTransaction other = lake.table().begin(lake.request(CommitKind.APPEND));
    lake.upload(other, List.of(folder));
    WriteTransaction job = lake.table().begin(lake.request(CommitKind.APPEND));
    List<Upload> uploads = lake.upload(job, List.of(folder, folder, "dt=1"));
    job.commit(Lake.ledger(uploads.subList(1, 3)));
    assertThat(job.sweep()).isEqualTo(1);
    assertThat(lake.store.openUploads()).hasSize(1);

    WriteTransaction failed = lake.table().begin(lake.request(CommitKind.APPEND));
    List<Upload> known = lake.upload(failed, List.of(folder, folder)).subList(0, 1);
    assertThat(failed.abort(Lake.ledger(known))).isTrue();
    assertThat(lake.store.openUploads())
        .singleElement()
        .satisfies(left -> assertThat(left.at().key()).contains(other.id().id()));
  }

  @Test
  void aWriterThatMeetsADeadCommitThereIsRefusedUnlessThePlaceIsAllowed() throws Exception {
    lake.unfinished(Step.VERIFY, CommitKind.DYNAMIC, "dt=1", BUCKET);
    assertThatThrownBy(() -> lake.commit(CommitKind.DYNAMIC, "dt=1"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("repave.locations.allowed");
    allow(BUCKET);
    lake.settings = lake.settings.with(ConflictPolicy.LAST_WRITER);
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(writers())
        .containsExactlyInAnyOrder("s3://lake/sales/dt=1/commit-000003", BUCKET + "/commit-000001");
  }

  @ParameterizedTest
  @CsvSource({
    "s3://cold/sales/dt=9, s3://cold/sales/dt=9, true",
    "s3://cold/sales/dt=9, s3://cold/sales/dt=9/hour=1, true",
    "s3://cold/sales/dt=9, s3://cold/sales/dt=90, false",
    "s3://cold/sales/dt=9, s3://warm/sales/dt=9, false",
    "s3://cold/sales/dt=9, dt=9, false",
  })
  void twoOverwritesConflictThereAsInsideTheTable(String mine, String other, boolean conflict)
      throws Exception {
    WriteTransaction job = lake.table().begin(lake.request(CommitKind.DYNAMIC));
    Ledger ledger = Lake.ledger(lake.upload(job, List.of(mine)));
    lake.commit(CommitKind.DYNAMIC, other);
    if (conflict) {
      assertThatThrownBy(() -> job.commit(ledger)).isInstanceOf(CommitConflictException.class);
    } else {
      job.commit(ledger);
      assertThat(writers()).contains(mine + "/commit-000001", other(other));
    }
  }

  private static String other(String folder) {
    return (folder.startsWith("s3://") ? folder : "s3://lake/sales/" + folder) + "/commit-000002";
  }

  @Test
  void aRollbackBringsBackWhatWasLiveThere() throws Exception {
    lake.settings = lake.settings.with(Readers.SNAPSHOT);
    lake.commit(CommitKind.APPEND, "dt=1", BUCKET);
    long first = lake.table().head().orElseThrow().version();
    lake.commit(CommitKind.DYNAMIC, BUCKET);
    lake.commit(CommitKind.APPEND, PREFIX);
    lake.table().rollback(first);
    assertThat(lake.recorded())
        .containsExactlyInAnyOrder("dt=1/commit-000001", BUCKET + "/commit-000001");
  }

  @Test
  void aRollbackGivesWayToAWriteThere() throws Exception {
    lake.settings = lake.settings.with(Readers.SNAPSHOT);
    lake.commit(CommitKind.APPEND, "dt=1", BUCKET);
    long first = lake.table().head().orElseThrow().version();
    lake.commit(CommitKind.DYNAMIC, BUCKET);
    WriteTransaction job = lake.table().begin(lake.request(CommitKind.DYNAMIC));
    Ledger ledger = Lake.ledger(lake.upload(job, List.of(BUCKET)));
    lake.table().rollback(first);
    assertThatThrownBy(() -> job.commit(ledger)).isInstanceOf(CommitConflictException.class);
  }

  @Test
  void theRecordsOfATableOfSnapshotsNameWhatLiesThere() throws Exception {
    lake.settings = lake.settings.with(Readers.SNAPSHOT);
    lake.commit(CommitKind.APPEND, BUCKET, PREFIX);
    lake.commit(CommitKind.DYNAMIC, PREFIX);
    Head head = lake.table().head().orElseThrow();
    assertThat(lake.recorded())
        .containsExactlyInAnyOrder(BUCKET + "/commit-000001", PREFIX + "/commit-000002");
    assertThat(lake.recordedAt(head.version() - 1))
        .containsExactlyInAnyOrder(BUCKET + "/commit-000001", PREFIX + "/commit-000001");
  }
}
