package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.CommitNames;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
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

/** Partitions outside the table's folder: under another prefix, or in another bucket. */
class PartitionOutsideTableTest {
  private static final String PREFIX = "s3://lake/archive/dt=8";
  private static final String BUCKET = "s3://cold/sales/dt=9";

  private final TestTable table = new TestTable();

  private static Location place(String folder) {
    String[] parts = folder.substring("s3://".length()).split("/", 2);
    return new Location(parts[0], parts[1]);
  }

  private void allow(String... folders) {
    List<Location> allowed = List.of(folders).stream().map(it -> place(it)).toList();
    table.configure(it -> it.allowed(allowed));
  }

  /** Every data file of the store as {@code folder/commit}. */
  private Set<String> writers() {
    Set<String> writers = new TreeSet<>();
    table.data().keySet().stream()
        .filter(key -> !key.endsWith("_SUCCESS"))
        .forEach(key -> writers.add(TestTable.writer(key)));
    return writers;
  }

  /** Files next to the partitions outside, which a commit must leave alone. */
  private void neighbours() throws Exception {
    for (String key : List.of("archive/dt=80/old", "archive/dt=7/old")) {
      table.store.put(new Location("lake", key), ByteBuffer.wrap(new byte[] {1}));
    }
    table.store.put(new Location("cold", "sales/dt=90/old"), ByteBuffer.wrap(new byte[] {1}));
    table.store.put(new Location("lake", "sales/dt=9/old"), ByteBuffer.wrap(new byte[] {1}));
  }

  private static final String[] NEIGHBOURS = {
    "s3://lake/archive/dt=80/old",
    "s3://lake/archive/dt=7/old",
    "s3://cold/sales/dt=90/old",
    "s3://lake/sales/dt=9/old"
  };

  @ParameterizedTest
  @ValueSource(strings = {PREFIX, BUCKET})
  void anAppendAddsFilesToAPartitionOutside(String folder) throws Exception {
    neighbours();
    table.commit(CommitKind.APPEND, "dt=1", folder);
    table.commit(CommitKind.APPEND, folder);
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
  void aDynamicOverwriteReplacesThePartitionOutsideAndNoOther(String folder) throws Exception {
    neighbours();
    table.commit(CommitKind.APPEND, "dt=1", folder, folder + "/hour=1");
    table.commit(CommitKind.DYNAMIC, folder);
    assertThat(writers())
        .contains(NEIGHBOURS)
        .contains("s3://lake/sales/dt=1/commit-000001", folder + "/commit-000002")
        .hasSize(6);
  }

  @ParameterizedTest
  @ValueSource(strings = {PREFIX, BUCKET})
  void aStaticOverwriteReplacesAPartitionOutsideThatItsScopeNames(String folder) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", folder);
    String commit = table.request(CommitKind.STATIC).commit();
    String word = CommitNames.word(commit);
    List<String> scope = List.of("", folder);
    table.commit(
        new CommitRequest(commit, CommitKind.STATIC, scope, "", ""), List.of("dt=2", folder));
    assertThat(writers())
        .containsExactlyInAnyOrder("s3://lake/sales/dt=2/" + word, folder + "/" + word);
  }

  @Test
  void aStaticOverwriteOfTheTablesFolderLeavesPartitionsOutsideAlone() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", BUCKET);
    table.commit(CommitKind.STATIC, "dt=2");
    assertThat(writers())
        .containsExactlyInAnyOrder("s3://lake/sales/dt=2/commit-000002", BUCKET + "/commit-000001");
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      mode = Mode.EXCLUDE,
      names = {"RECORD_UPLOADS", "RESERVE", "VERIFY", "FOLLOW", "REVERT"})
  void aRecoveryFinishesACommitOutsideWhenTheFolderIsAllowed(Step death) throws Exception {
    for (String folder : List.of(PREFIX, BUCKET)) {
      Location records = table.paths.records();
      table.store.delete(table.store.objects().keySet().stream().filter(records::holds).toList());
      allow(folder);
      table.commit(CommitKind.DYNAMIC, "dt=1", folder);
      CommitId dead = table.unfinished(death, CommitKind.DYNAMIC, folder);
      assertThat(table.open().recover()).hasSize(1);
      assertThat(writers()).contains(folder + "/" + CommitNames.word(dead.id()));
      assertThat(writers()).filteredOn(it -> it.startsWith(folder + "/")).hasSize(1);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      mode = Mode.EXCLUDE,
      names = {"RECORD_UPLOADS", "RESERVE", "VERIFY", "FOLLOW", "REVERT"})
  void aRecoveryOutsideThatIsNotAllowedChangesNothingAndNamesTheSetting(Step death)
      throws Exception {
    table.commit(CommitKind.DYNAMIC, "dt=1", BUCKET);
    table.unfinished(death, CommitKind.DYNAMIC, "dt=1", BUCKET);
    for (String[] allowed : new String[][] {{}, {PREFIX}, {BUCKET + "0"}, {BUCKET + "/hour=1"}}) {
      allow(allowed);
      Map<String, String> before = table.data();
      int uploads = table.store.openUploads().size();
      assertThatThrownBy(() -> table.open().recover())
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining(BUCKET)
          .hasMessageContaining("repave.locations.allowed");
      assertThat(table.data()).isEqualTo(before);
      assertThat(table.store.openUploads()).hasSize(uploads);
    }
    allow("s3://cold/sales");
    table.open().recover();
    assertThat(writers())
        .containsExactlyInAnyOrder("s3://lake/sales/dt=1/commit-000002", BUCKET + "/commit-000002");
  }

  @ParameterizedTest
  @EnumSource(names = {"PLAN", "VERIFY", "PUBLISH"})
  void aCancelWithoutALedgerDeletesTheCommitsFilesOutsideWhereTheFolderIsAllowed(Step death)
      throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", BUCKET);
    CommitId dead = table.unfinished(death, CommitKind.DYNAMIC, "dt=1", BUCKET);
    table.store.delete(List.of(table.paths.uploads(dead)));
    Map<String, String> before = table.data();
    int uploads = table.store.openUploads().size();
    assertThatThrownBy(() -> table.open().cancel(dead.id()))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(BUCKET)
        .hasMessageContaining("repave.locations.allowed");
    assertThat(table.data()).isEqualTo(before);
    assertThat(table.store.openUploads()).hasSize(uploads);
    assertThat(table.head().active(dead).orElseThrow().state()).isEqualTo(CommitState.PENDING);
    allow(BUCKET);
    table.open().cancel(dead.id());
    assertThat(table.store.openUploads()).isEmpty();
    assertThat(writers())
        .containsExactlyInAnyOrder("s3://lake/sales/dt=1/commit-000001", BUCKET + "/commit-000001");
  }

  /** The files outside would stay visible, and the next run of the job would add its rows again. */
  @ParameterizedTest
  @EnumSource(names = {"PLAN", "VERIFY"})
  void aCancelWithoutALedgerFindsTheFilesOutsideOfACommitWithManyFolders(Step death)
      throws Exception {
    table.commit(CommitKind.APPEND, BUCKET);
    CommitId dead = table.unfinished(death, CommitKind.DYNAMIC, manyFolders());
    table.store.delete(List.of(table.paths.uploads(dead), table.paths.manifest(dead)));
    assertThatThrownBy(() -> table.open().cancel(dead.id()))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("s3://cold/")
        .hasMessageContaining("repave.locations.allowed");
    allow("s3://cold/sales", "s3://cold/hours");
    table.open().cancel(dead.id());
    assertThat(table.store.openUploads()).isEmpty();
    assertThat(writers()).containsExactly(BUCKET + "/commit-000001");
  }

  /** Longer than an outline: many folders inside, many in one folder outside, and one more. */
  private static String[] manyFolders() {
    List<String> folders = new ArrayList<>(List.of(BUCKET));
    for (int hour = 0; hour < 24; hour++) {
      folders.add("dt=2026-11-24/hour=" + hour);
      folders.add("s3://cold/hours/dt=2026-11-24/hour=" + hour);
    }
    return folders.toArray(String[]::new);
  }

  /** An entry of an older version, or one whose folders have no room in the head. */
  @ParameterizedTest
  @EnumSource(names = {"PLAN", "VERIFY"})
  void aCancelThatDoesNotKnowTheFoldersOutsideAsksForThem(Step death) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    CommitId dead = table.unfinished(death, CommitKind.DYNAMIC, "dt=1", BUCKET);
    table.store.delete(List.of(table.paths.uploads(dead), table.paths.manifest(dead)));
    table.rewrite(
        table.paths.head(), json -> json.replace(",\"touched\":[\"dt=1\",\"" + BUCKET + "\"]", ""));
    Map<String, String> before = table.data();
    assertThatThrownBy(() -> table.open().cancel(dead.id()))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("repave.locations.allowed")
        .hasMessageContaining(table.paths.root().toString());
    assertThat(table.data()).isEqualTo(before);
    assertThat(table.head().active(dead).orElseThrow().state()).isEqualTo(CommitState.PENDING);
    allow(PREFIX, "s3://cold/sales");
    table.open().cancel(dead.id());
    assertThat(table.store.openUploads()).isEmpty();
    assertThat(writers()).containsExactly("s3://lake/sales/dt=1/commit-000001");
  }

  @Test
  void aCancelWithoutALedgerTakesTheFoldersFromTheManifest() throws Exception {
    CommitId dead = table.unfinished(Step.VERIFY, CommitKind.APPEND, "dt=1", BUCKET);
    table.store.delete(List.of(table.paths.uploads(dead)));
    table.rewrite(
        table.paths.head(), json -> json.replace(",\"touched\":[\"dt=1\",\"" + BUCKET + "\"]", ""));
    assertThatThrownBy(() -> table.open().cancel(dead.id()))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(BUCKET);
    allow(BUCKET);
    table.open().cancel(dead.id());
    assertThat(writers()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {PREFIX, BUCKET})
  void uploadsOfLostAttemptsOutsideAreAbortedWhenTheJobEnds(String folder) throws Exception {
    WriteTransaction other = table.open().begin(table.request(CommitKind.APPEND));
    table.upload(other, List.of(folder));
    WriteTransaction job = table.open().begin(table.request(CommitKind.APPEND));
    List<Upload> uploads = table.upload(job, List.of(folder, folder, "dt=1"));
    job.commit(TestTable.ledger(uploads.subList(1, 3)));
    assertThat(job.abortLostUploads()).isEqualTo(1);
    assertThat(table.store.openUploads()).hasSize(1);

    WriteTransaction failed = table.open().begin(table.request(CommitKind.APPEND));
    List<Upload> known = table.upload(failed, List.of(folder, folder)).subList(0, 1);
    assertThat(failed.abort(TestTable.ledger(known))).isTrue();
    assertThat(table.store.openUploads())
        .singleElement()
        .satisfies(left -> assertThat(left.at().key()).contains(other.id().id()));
  }

  @Test
  void aWriterThatMeetsADeadCommitOutsideIsRefusedUnlessTheFolderIsAllowed() throws Exception {
    table.unfinished(Step.VERIFY, CommitKind.DYNAMIC, "dt=1", BUCKET);
    assertThatThrownBy(() -> table.commit(CommitKind.DYNAMIC, "dt=1"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("repave.locations.allowed");
    allow(BUCKET);
    table.configure(it -> it.conflicts(ConflictPolicy.LAST_WRITER));
    table.commit(CommitKind.DYNAMIC, "dt=1");
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
  void twoOverwritesOutsideConflictAsInsideTheTable(String mine, String other, boolean conflict)
      throws Exception {
    TestJob job = table.job(CommitKind.DYNAMIC, mine);
    table.commit(CommitKind.DYNAMIC, other);
    if (conflict) {
      assertThatThrownBy(job::commit).isInstanceOf(CommitConflictException.class);
    } else {
      job.commit();
      assertThat(writers()).contains(mine + "/commit-000001", other(other));
    }
  }

  private static String other(String folder) {
    return (folder.startsWith("s3://") ? folder : "s3://lake/sales/" + folder) + "/commit-000002";
  }

  @Test
  void aRollbackRestoresTheLiveFilesOutside() throws Exception {
    table.configure(it -> it.readers(Readers.SNAPSHOT));
    table.commit(CommitKind.APPEND, "dt=1", BUCKET);
    long first = table.head().version();
    table.commit(CommitKind.DYNAMIC, BUCKET);
    table.commit(CommitKind.APPEND, PREFIX);
    table.open().rollback(first);
    assertThat(table.recorded())
        .containsExactlyInAnyOrder("dt=1/commit-000001", BUCKET + "/commit-000001");
  }

  @Test
  void aWriteOutsideConflictsWithARollback() throws Exception {
    table.configure(it -> it.readers(Readers.SNAPSHOT));
    table.commit(CommitKind.APPEND, "dt=1", BUCKET);
    long first = table.head().version();
    table.commit(CommitKind.DYNAMIC, BUCKET);
    TestJob job = table.job(CommitKind.DYNAMIC, BUCKET);
    table.open().rollback(first);
    assertThatThrownBy(job::commit).isInstanceOf(CommitConflictException.class);
  }

  @Test
  void theRecordsOfASnapshotTableNameTheFilesOutside() throws Exception {
    table.configure(it -> it.readers(Readers.SNAPSHOT));
    table.commit(CommitKind.APPEND, BUCKET, PREFIX);
    table.commit(CommitKind.DYNAMIC, PREFIX);
    Head head = table.head();
    assertThat(table.recorded())
        .containsExactlyInAnyOrder(BUCKET + "/commit-000001", PREFIX + "/commit-000002");
    assertThat(table.recordedAt(head.version() - 1))
        .containsExactlyInAnyOrder(BUCKET + "/commit-000001", PREFIX + "/commit-000001");
  }

  /** It writes no file there, so only its scope names the folder. */
  @Test
  void aRecoveryEmptiesAFolderOutsideOnlyIfItIsAllowed() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", BUCKET);
    CommitRequest request = table.request(CommitKind.STATIC);
    List<String> scope = List.of("", BUCKET);
    table.unfinished(
        Step.RETIRE, new CommitRequest(request.commit(), CommitKind.STATIC, scope, "", ""), "dt=1");
    assertThatThrownBy(() -> table.open().recover())
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(BUCKET);
    assertThat(writers()).contains(BUCKET + "/commit-000001");
    allow("s3://cold/sales");
    table.open().recover();
    assertThat(writers()).containsExactly("s3://lake/sales/dt=1/commit-000002");
  }

  @Test
  void aCancelDeletesFilesOutsideOnlyWhereTheFolderIsAllowed() throws Exception {
    CommitId id = table.unfinished(Step.PLAN, CommitKind.APPEND, "dt=1", BUCKET);
    int uploads = table.store.openUploads().size();
    assertThatThrownBy(() -> table.open().cancel(id.id()))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(BUCKET);
    assertThat(table.store.openUploads()).hasSize(uploads);
    allow("s3://cold/sales");
    table.open().cancel(id.id());
    assertThat(table.store.openUploads()).isEmpty();
    assertThat(writers()).isEmpty();
  }
}
