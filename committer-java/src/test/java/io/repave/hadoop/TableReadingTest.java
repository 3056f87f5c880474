package io.repave.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.EngineSettings;
import io.repave.core.engine.Ports;
import io.repave.core.engine.RetryPolicy;
import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.hadoop.footer.WantedFacts;
import io.repave.hadoop.read.EngineRecords;
import io.repave.hadoop.read.VersionCache;
import io.repave.hadoop.runtime.RequestRetry;
import io.repave.hadoop.upload.OpenFiles;
import io.repave.hadoop.upload.PartLimits;
import io.repave.hadoop.upload.ScriptedStore;
import io.repave.hadoop.upload.TaskAttempt;
import io.repave.hadoop.upload.UploadMemory;
import io.repave.hadoop.upload.UploadResources;
import io.repave.testing.CommitNames;
import io.repave.testing.EngineSettingsDraft;
import io.repave.testing.MemoryObjectStore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestPorts;
import io.repave.testing.VirtualClock;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commits by the engine, looked at through {@code repave://}. */
class TableReadingTest {
  private static final TablePaths TABLE = TablePaths.of(new Location("lake", "sales"));

  private final VirtualClock clock = new VirtualClock();
  private final ScriptedStore store = new ScriptedStore(new MemoryObjectStore());
  private final OpenFiles open = new OpenFiles();
  private final Supplier<String> nonces = TestPorts.numberedNonces();
  private final RetryPolicy retry = new RetryPolicy(3, 1, 2, 100);
  private final AtomicReference<EngineSettings> settings = new AtomicReference<>();
  private RepaveFileSystem files;
  private UploadResources transfers;

  @BeforeEach
  void start(@TempDir Path folder) throws IOException {
    settings.set(with(Readers.LISTING));
    files =
        new RepaveFileSystem(
            open,
            (conf, scheme) -> new EngineRecords(ports(), settings.get()),
            new VersionCache(1 << 20));
    files.initialize(URI.create("repave://lake"), MemoryFileSystem.conf(store));
    PartLimits limits = new PartLimits(100, 100, bytes -> folder);
    transfers =
        new UploadResources(
            store,
            Runnable::run,
            new UploadMemory(1 << 20),
            new RequestRetry(retry),
            limits,
            WantedFacts.NONE);
  }

  private Ports ports() {
    return TestPorts.of(store, clock).nonces(nonces).ports();
  }

  private EngineSettings with(Readers readers) {
    return EngineSettingsDraft.ofDefaults()
        .readers(readers)
        .heartbeatMillis(0)
        .leaseMillis(1_000)
        .drainMillis(1_000)
        .retry(retry)
        .done();
  }

  private Table table() {
    return Table.open(ports(), TABLE, settings.get());
  }

  /** Replaces partitions by one file each, whose content is the commit's name. */
  private void overwrite(String commit, String... partitions)
      throws IOException, InterruptedException {
    String id = CommitNames.id(commit);
    WriteTransaction job =
        table().begin(new CommitRequest(id, CommitKind.DYNAMIC, List.of(), "", "_SUCCESS"));
    TaskAttempt task =
        new TaskAttempt(
            TABLE.root(), settings.get().readers().orElse(Readers.LISTING), transfers, open);
    for (String partition : partitions) {
      Location at = task.file(partition, PartFileName.of("", 0, id, 7, ".txt"));
      try (OutputStream out =
          files.create(new org.apache.hadoop.fs.Path(TableAccess.writerPath(at)), false)) {
        out.write(commit.getBytes(StandardCharsets.UTF_8));
      }
    }
    job.commit(new TaskLedgers(List.of(task.commit())));
  }

  @Test
  void aListingTableShowsWhatWasPublishedWhileACommitIsStuckBeforeIt() throws Exception {
    overwrite("commit-one", "dt=1", "dt=2");
    failing(StoreCall.PUT_IF_MATCH, 2);
    assertThatThrownBy(() -> overwrite("commit-two", "dt=2", "dt=3"))
        .isInstanceOf(IOException.class);
    assertThat(contents("dt=2")).containsExactly("commit-one");
    assertThat(contents("dt=3")).isEmpty();
    assertThat(lying("dt=2")).as("both exist").isEqualTo(2);

    store.before = ScriptedStore.NOTHING;
    table().recover();
    assertThat(contents("dt=2")).containsExactly("commit-two");
    assertThat(contents("dt=3")).containsExactly("commit-two");
  }

  @Test
  void aListingTableShowsThePublishedFilesAloneWhileTheOldOnesStillLieThere() throws Exception {
    overwrite("commit-one", "dt=1", "dt=2");
    failing(StoreCall.DELETE, 0);
    assertThatThrownBy(() -> overwrite("commit-two", "dt=2")).isInstanceOf(IOException.class);
    assertThat(lying("dt=2")).isEqualTo(2);
    assertThat(contents("dt=2")).containsExactly("commit-two");
    assertThat(contents("dt=1")).containsExactly("commit-one");
  }

  @Test
  void oldFilesThatAreDeletedDuringAListingAreHidden() throws Exception {
    overwrite("commit-one", "dt=1");
    failing(StoreCall.DELETE, 0);
    assertThatThrownBy(() -> overwrite("commit-two", "dt=1")).isInstanceOf(IOException.class);
    store.before = ScriptedStore.NOTHING;
    AtomicInteger lists = new AtomicInteger();
    store.after =
        (call, at) -> {
          if (call == StoreCall.LIST && lists.incrementAndGet() == 2) {
            store.after = ScriptedStore.NOTHING;
            recoverInBetween();
          }
        };
    FileStatus[] listed =
        files.listStatus(new org.apache.hadoop.fs.Path("repave://lake/sales/dt=1"));
    assertThat(lying("dt=1")).isEqualTo(1);
    assertThat(listed).singleElement().asString().contains(CommitNames.id("commit-two"));
  }

  private void recoverInBetween() {
    try {
      table().recover();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aListingThatACommitOvertakesIsTakenAgain() throws Exception {
    overwrite("commit-one", "dt=1");
    AtomicInteger lists = new AtomicInteger();
    store.after =
        (call, at) -> {
          // The reader's own listing, not those of the commit that overtakes it.
          if (call == StoreCall.LIST && lists.incrementAndGet() == 2) {
            store.after = ScriptedStore.NOTHING;
            commitInBetween();
          }
        };
    assertThat(contents("dt=1")).containsExactly("commit-two");
    assertThat(lists.get()).isEqualTo(2);
  }

  private void commitInBetween() {
    try {
      overwrite("commit-two", "dt=1");
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aSnapshotTableKeepsItsVersionsApart() throws Exception {
    settings.set(with(Readers.SNAPSHOT));
    overwrite("commit-one", "dt=1", "dt=2");
    overwrite("commit-two", "dt=2");
    long version = table().head().orElseThrow().version();

    assertThat(contents("dt=2")).containsExactly("commit-two");
    assertThat(contents("@v" + version + "/dt=2")).containsExactly("commit-two");
    assertThat(contents("@v" + (version - 1) + "/dt=2")).containsExactly("commit-one");
    assertThat(contents("@v" + (version - 1) + "/dt=1")).containsExactly("commit-one");
    String absent = "repave://lake/sales/@v" + (version + 1);
    for (ThrowingCallable look :
        List.<ThrowingCallable>of(
            () -> contents("@v" + (version + 1)),
            () -> files.listStatus(new org.apache.hadoop.fs.Path(absent + "/dt=2")),
            () -> files.exists(new org.apache.hadoop.fs.Path(absent)))) {
      assertThatThrownBy(look)
          .as("Spark takes a FileNotFoundException for a partition without rows")
          .isNotInstanceOf(FileNotFoundException.class)
          .hasMessageContaining(", not version ");
    }
  }

  @Test
  void aSnapshotTableDoesNotShowWhatIsStuck() throws Exception {
    settings.set(with(Readers.SNAPSHOT));
    overwrite("commit-one", "dt=1");
    failing(StoreCall.PUT_IF_MATCH, 2);
    assertThatThrownBy(() -> overwrite("commit-two", "dt=1")).isInstanceOf(IOException.class);
    store.before = ScriptedStore.NOTHING;
    assertThat(contents("dt=1")).containsExactly("commit-one");
  }

  @Test
  void aTableThatBeginsAnewIsNotTakenForTheOneBefore() throws Exception {
    settings.set(with(Readers.SNAPSHOT));
    overwrite("commit-one", "dt=1");
    assertThat(contents("dt=1")).containsExactly("commit-one");
    for (var object : store.list(TABLE.root(), "").objects()) {
      store.delete(List.of(new Location("lake", object.key())));
    }
    overwrite("commit-two", "dt=1");
    assertThat(contents("dt=1")).containsExactly("commit-two");
  }

  @Test
  void filesOfAnUnrecordedTableStayVisibleWhenItIsFirstCommittedTo() throws Exception {
    store.put(
        TABLE.root().resolve("dt=1/old.txt"),
        ByteBuffer.wrap("old".getBytes(StandardCharsets.UTF_8)));
    assertThat(contents("dt=1")).containsExactly("old");
    overwrite("commit-one", "dt=2");
    assertThat(contents("dt=1")).containsExactly("old");
    assertThat(contents("dt=2")).containsExactly("commit-one");
  }

  /** Fails calls of a kind from the given one on. */
  private void failing(StoreCall kind, int from) {
    AtomicInteger calls = new AtomicInteger();
    store.before =
        (call, at) -> {
          if (call == kind && calls.incrementAndGet() >= from) {
            throw new StoreException(Kind.UNKNOWN, "the store is away");
          }
        };
  }

  private int lying(String partition) throws IOException {
    return store.list(TABLE.root().resolve(partition), "").objects().size();
  }

  private List<String> contents(String folder) throws IOException {
    List<String> contents = new ArrayList<>();
    FileStatus[] found;
    try {
      found = files.listStatus(new org.apache.hadoop.fs.Path("repave://lake/sales/" + folder));
    } catch (FileNotFoundException absent) {
      if (folder.startsWith("@")) {
        throw absent;
      }
      return contents;
    }
    for (FileStatus file : Arrays.stream(found).filter(FileStatus::isFile).toList()) {
      try (FSDataInputStream in = files.open(file.getPath())) {
        contents.add(new String(in.readAllBytes(), StandardCharsets.UTF_8));
      }
    }
    return contents;
  }
}
