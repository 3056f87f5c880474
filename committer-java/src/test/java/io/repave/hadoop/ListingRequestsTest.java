package io.repave.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.hadoop.read.EngineRecords;
import io.repave.hadoop.read.VersionCache;
import io.repave.hadoop.read.VersionFiles;
import io.repave.hadoop.upload.OpenFiles;
import io.repave.testing.InterceptingStore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestTable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.junit.jupiter.api.Test;

/** What it costs to list a snapshot table, and that all of a listing comes from one version. */
class ListingRequestsTest {
  private static final String ROOT = "repave://lake/sales";
  private static final String NAME =
      "part-00000-11111111-1111-4111-8111-111111111111-1.c000.parquet";
  private static final long LARGE = 1L << 30;

  private TestTable table = new TestTable(Readers.SNAPSHOT);
  private final List<String> requests = new CopyOnWriteArrayList<>();

  /** A table with one file in each of so many partitions. */
  private void table(int partitions) throws Exception {
    table = new TestTable(Readers.SNAPSHOT);
    for (int number = 0; number < partitions; number++) {
      lay("dt=%05d/%s".formatted(number, NAME));
    }
    table.open().adopt();
  }

  private void lay(String name) throws IOException {
    table.store.put(table.paths.root().resolve(name), ByteBuffer.wrap(new byte[3]));
  }

  /** The file system of another JVM, whose cache is empty. */
  private RepaveFileSystem process(long cacheBytes) throws IOException {
    return process(table.store, cacheBytes);
  }

  private RepaveFileSystem process(ObjectStore store, long cacheBytes) throws IOException {
    InterceptingStore counted =
        InterceptingStore.before(
            store, (call, at) -> requests.add(call + " " + at.key().replaceAll(".*/", "")));
    RepaveFileSystem files =
        new RepaveFileSystem(
            new OpenFiles(),
            (conf, scheme) ->
                new EngineRecords(table.process().ports().with(counted), table.settings()),
            new VersionCache(cacheBytes));
    files.initialize(URI.create("repave://lake"), MemoryFileSystem.conf(counted));
    requests.clear();
    return files;
  }

  private static List<String> list(RepaveFileSystem files, String path) throws IOException {
    return Arrays.stream(files.listStatus(new Path(path)))
        .map(each -> each.getPath().toString())
        .toList();
  }

  private static List<String> walk(RepaveFileSystem files, String path) throws IOException {
    List<String> found = new ArrayList<>();
    RemoteIterator<LocatedFileStatus> all = files.listFiles(new Path(path), true);
    while (all.hasNext()) {
      found.add(all.next().getPath().toString());
    }
    return found;
  }

  /** Lists a table folder by folder, as Spark does; returns its files. */
  private static List<String> descend(RepaveFileSystem files, String path) throws IOException {
    List<String> found = new ArrayList<>();
    for (FileStatus each : files.listStatus(new Path(path))) {
      String child = each.getPath().toString();
      found.addAll(each.isDirectory() ? descend(files, child) : List.of(child));
    }
    return found;
  }

  @Test
  void listingATableFolderByFolderCostsTheSameForAnyNumberOfFolders() throws Exception {
    for (int partitions : new int[] {3, 300}) {
      table(partitions);
      assertThat(descend(process(LARGE), ROOT)).hasSize(partitions);
      assertThat(requests).containsExactly("READ head.json", "READ manifest.json.gz");
    }
  }

  @Test
  void aBulkListingReadsTheHeadAndTheRecordsOnce() throws Exception {
    table(300);
    RepaveFileSystem files = process(LARGE);
    assertThat(walk(files, ROOT)).hasSize(300).contains(ROOT + "/dt=00007/" + NAME);
    assertThat(requests).containsExactly("READ head.json", "READ manifest.json.gz");
    requests.clear();
    assertThat(walk(files, ROOT)).hasSize(300);
    assertThat(requests).as("the version is in memory").containsExactly("READ head.json");
  }

  @Test
  void whatIsBelowAListedFolderIsAnsweredWithoutARequest() throws Exception {
    table(20);
    RepaveFileSystem files = process(LARGE);
    String folder = list(files, ROOT).get(0);
    String file = list(files, folder).get(0);
    requests.clear();
    assertThat(files.exists(new Path(folder))).isTrue();
    assertThat(files.getFileStatus(new Path(folder)).isDirectory()).isTrue();
    assertThat(files.exists(new Path(folder + "/absent"))).isFalse();
    assertThat(files.getFileStatus(new Path(file)).getLen()).isEqualTo(3);
    assertThat(walk(files, folder)).containsExactly(file);
    assertThat(files.globStatus(new Path(folder + "/part-*"))).hasSize(1);
    assertThat(requests).isEmpty();
  }

  @Test
  void aPatternCostsTheSameForAnyNumberOfMatches() throws Exception {
    table(50);
    RepaveFileSystem files = process(LARGE);
    FileStatus[] found = files.globStatus(new Path(ROOT + "/dt=000[01]*/*.parquet"));
    assertThat(found).hasSize(20);
    for (FileStatus each : found) {
      files.getFileStatus(each.getPath());
    }
    // The pattern gets its version from the head, and the version's records begin with it.
    assertThat(requests)
        .containsExactly("READ head.json", "READ head.json", "READ manifest.json.gz");
  }

  @Test
  void anotherProcessListsPinnedFoldersWithFewRequests() throws Exception {
    table(300);
    List<String> folders = list(process(LARGE), ROOT);
    RepaveFileSystem executor = process(LARGE);
    for (String folder : folders) {
      assertThat(list(executor, folder)).hasSize(1);
    }
    // Each of a few folders alone, then all of them: a head and a manifest each time.
    assertThat(requests).hasSize(2 * 5);
  }

  @Test
  void anotherProcessFindsAListedFileByOneHead() throws Exception {
    table(300);
    String file = walk(process(LARGE), ROOT).get(7);
    String pinned = descend(process(LARGE), ROOT).get(7);
    RepaveFileSystem executor = process(LARGE);
    assertThat(executor.getFileStatus(new Path(file)).getLen()).isEqualTo(3);
    assertThat(requests).containsExactly("HEAD " + NAME);
    assertThat(executor.getFileStatus(new Path(pinned)).getLen()).isEqualTo(3);
    assertThat(requests).as("both paths are of one file").containsExactly("HEAD " + NAME);
  }

  @Test
  void theRootOfATableIsAFolderWithoutItsFilesBeingRead() throws Exception {
    table(20);
    RepaveFileSystem files = process(LARGE);
    assertThat(files.getFileStatus(new Path(ROOT)).isDirectory()).isTrue();
    assertThat(requests).containsExactly("READ head.json");
    assertThat(files.exists(new Path(ROOT + "/_spark_metadata"))).isFalse();
    assertThat(requests).containsExactly("READ head.json");
  }

  @Test
  void whatSparkAsksBeforeItListsCostsOneLook() throws Exception {
    table(20);
    RepaveFileSystem files = process(LARGE);
    for (String asked : List.of(ROOT, ROOT + "/dt=00007")) {
      assertThat(files.exists(new Path(asked))).isTrue();
      assertThat(files.getFileStatus(new Path(asked)).isDirectory()).isTrue();
      assertThat(files.exists(new Path(asked + "/_spark_metadata"))).isFalse();
    }
    assertThat(requests)
        .containsExactly("READ head.json", "READ head.json", "READ manifest.json.gz");
    requests.clear();
    assertThat(list(files, ROOT + "/dt=00007")).hasSize(1);
    assertThat(requests).as("a listing looks itself").containsExactly("READ head.json");
  }

  @Test
  void aFolderThatAnotherProcessHasJustWrittenExists() throws Exception {
    table(20);
    RepaveFileSystem files = process(LARGE);
    assertThat(files.exists(new Path(ROOT))).isTrue();
    assertThat(list(files, ROOT)).hasSize(20);
    Path written = new Path(ROOT + "/dt=new");
    assertThat(files.exists(written)).isFalse();
    table.commit(CommitKind.DYNAMIC, "dt=new");
    assertThat(files.exists(written)).isTrue();
    assertThat(list(files, ROOT)).hasSize(21);
  }

  @Test
  void aTableThatWasDroppedIsNotListed() throws Exception {
    table(3);
    RepaveFileSystem files = process(LARGE);
    assertThat(files.exists(new Path(ROOT))).isTrue();
    table.store.delete(List.copyOf(table.store.objects().keySet()));
    assertThatThrownBy(() -> files.listStatus(new Path(ROOT)))
        .isInstanceOf(FileNotFoundException.class);
    assertThat(files.exists(new Path(ROOT))).as("after a look").isFalse();
  }

  @Test
  void onePartitionOfALargeTableIsReadFromTheShardsThatCoverIt() throws Exception {
    table.checkpointEvery(1);
    for (int number = 0; number < 25_000; number++) {
      lay("dt=%05d/%s".formatted(number, NAME));
    }
    table.open().adopt();
    RepaveFileSystem files = process(LARGE);
    assertThat(list(files, ROOT + "/dt=12345")).containsExactly(ROOT + "/dt=12345/" + NAME);
    assertThat(requests).hasSizeLessThanOrEqualTo(5).startsWith("READ head.json");
    assertThat(requests).filteredOn(each -> each.matches(".*-0000\\d.json.gz")).hasSize(1);
  }

  @Test
  void aVersionThatIsTooLargeForTheCacheIsListedFolderByFolder() throws Exception {
    table(300);
    RepaveFileSystem files = process(10_000);
    List<String> folders = list(files, ROOT);
    assertThat(folders).hasSize(300);
    for (String folder : folders) {
      assertThat(list(files, folder)).hasSize(1);
    }
  }

  @Test
  void aListingThatAnOverwriteOvertakesShowsOneVersion() throws Exception {
    table(30);
    RepaveFileSystem files = process(LARGE);
    List<String> folders = list(files, ROOT);
    long before = table.open().head().orElseThrow().version();
    table.commit(CommitKind.DYNAMIC, "dt=00001", "dt=00002");
    assertThat(table.open().head().orElseThrow().version()).isGreaterThan(before);
    for (RepaveFileSystem each : List.of(files, process(LARGE))) {
      for (String folder : folders) {
        assertThat(list(each, folder)).as(folder).containsExactly(folder + "/" + NAME);
      }
    }
    assertThat(walk(files, ROOT)).hasSize(30).doesNotContain(ROOT + "/dt=00002/" + NAME);
  }

  @Test
  void aPinOfADroppedTableIsRefusedInsteadOfShowingTheNextOnesFiles() throws Exception {
    table(5);
    String pinned = list(process(LARGE), ROOT).get(0);
    var objects = table.store.list(new Location("lake", "sales"), "").objects();
    table.store.delete(objects.stream().map(it -> new Location("lake", it.key())).toList());
    lay("dt=00000/" + NAME.replace("1111", "2222"));
    table.open().adopt();
    RepaveFileSystem executor = process(LARGE);
    assertThatThrownBy(() -> list(executor, pinned))
        .isInstanceOf(FileNotFoundException.class)
        .hasMessageContaining("was dropped and created again");
    assertThat(walk(executor, ROOT)).singleElement().asString().contains("2222");
  }

  @Test
  void aFolderWithoutAVersionHasFilesUnderItsOwnPath() throws Exception {
    lay("dt=00001/" + NAME);
    lay("dt=00001/hour=1/adopted.parquet");
    table.open().adopt();
    RepaveFileSystem files = process(LARGE);
    String folder = ROOT + "/dt=00001";
    List<String> found = walk(files, folder);
    assertThat(found).hasSize(2).contains(folder + "/" + NAME);
    // Its name is not unique, so its version says which file it is.
    assertThat(found).anyMatch(each -> each.matches(".*/@v1-\\w+/dt=00001/hour=1/adopted.parquet"));
    assertThat(walk(files, ROOT + "/@v1")).allMatch(each -> each.startsWith(ROOT + "/@v1/"));
  }

  @Test
  void allFilesOfAVersionHaveThePathsThatABulkListingShows() throws Exception {
    for (String other : List.of(NAME, "hour=1/adopted.parquet")) {
      table = new TestTable(Readers.SNAPSHOT);
      lay("dt=00001/" + NAME);
      lay("dt=00002/" + other);
      table.open().adopt();
      RepaveFileSystem files = process(LARGE);
      for (String path : List.of(ROOT, ROOT + "/", ROOT + "/@v1", ROOT + "/@2999-01-01")) {
        assertThat(all(files, path)).hasSize(2).hasSameElementsAs(walk(files, path));
      }
      requests.clear();
      assertThat(all(files, ROOT)).hasSize(2);
      assertThat(requests).containsExactly("READ head.json");
    }
  }

  private static List<String> all(RepaveFileSystem files, String path) throws IOException {
    List<String> found = new ArrayList<>();
    VersionFiles version = files.version(new Path(path)).orElseThrow();
    for (VersionFiles.Folder folder : version.byFolder()) {
      for (FileStatus file : folder.files()) {
        assertThat(file.getPath().getParent()).isEqualTo(folder.path());
        assertThat(folder.path().toString()).endsWith(folder.name());
        found.add(file.getPath().toString());
      }
    }
    return found;
  }

  @Test
  void onlyTheFolderOfASnapshotTableHasAllFilesOfAVersion() throws Exception {
    table(2);
    RepaveFileSystem files = process(LARGE);
    String exact = list(files, ROOT).get(0).replace("/dt=00000", "");
    requests.clear();
    for (String path : List.of("/dt=00000", "/dt=9", "/@v1/dt=00000")) {
      assertThat(files.version(new Path(ROOT + path))).as(path).isEmpty();
    }
    assertThat(files.version(new Path(exact))).isEmpty();
    assertThat(requests).as("Spark asks for these paths by itself").isEmpty();
    assertThat(files.version(new Path(ROOT + "-absent"))).isEmpty();
    assertThatThrownBy(() -> files.version(new Path(ROOT + "/@v7")).orElseThrow().byFolder())
        .isInstanceOf(FileNotFoundException.class);
    table = new TestTable(Readers.LISTING);
    lay("dt=1/" + NAME);
    table.open().adopt();
    assertThat(process(LARGE).version(new Path(ROOT))).isEmpty();
  }

  @Test
  void aListingTableIsStillLookedAtBeforeAndAfter() throws Exception {
    table.configure(it -> it.with(Readers.LISTING));
    lay("dt=1/" + NAME);
    table.open().adopt();
    RepaveFileSystem files = process(LARGE);
    assertThat(list(files, ROOT + "/dt=1")).hasSize(1);
    assertThat(requests.stream().filter(each -> each.equals("READ head.json"))).hasSize(2);
    assertThat(requests.stream().filter(each -> each.startsWith(StoreCall.LIST.name())))
        .isNotEmpty();
  }

  /** Folders that are not named key=value, such as those of an adopted table of logs. */
  @Test
  void aFolderDeepInATableShowsTheVersionForOneRequestOnEachLevel() throws Exception {
    lay("2026/11/22/" + NAME);
    table.open().adopt();
    lay("2026/11/22/unpublished");
    assertThat(list(process(LARGE), ROOT + "/2026/11/22"))
        .singleElement()
        .asString()
        .endsWith(NAME);
    assertThat(requests)
        .containsExactly(
            "READ head.json",
            "READ head.json",
            "READ head.json",
            "READ head.json",
            "READ manifest.json.gz");
  }

  @Test
  void aFolderWithoutATableIsReadAlthoughFoldersAboveItMayNotBeRead() throws Exception {
    Location file = new Location("lake", "raw/a/b/c/file");
    table.store.put(file, ByteBuffer.wrap(new byte[3]));
    ObjectStore ours =
        InterceptingStore.before(
            table.store,
            (call, at) -> {
              if (call == StoreCall.READ && !at.key().startsWith("raw/a/b/")) {
                throw new StoreException(StoreException.Kind.DENIED, "denied", null);
              }
            });
    assertThat(list(process(ours, LARGE), "repave://lake/raw/a/b/c"))
        .containsExactly("repave://lake/raw/a/b/c/file");
  }
}
