package io.repave.hadoop;

import static io.repave.hadoop.CountedReads.FILE;
import static io.repave.hadoop.CountedReads.LARGE;
import static io.repave.hadoop.CountedReads.ROOT;
import static io.repave.hadoop.CountedReads.walk;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.testing.InterceptingStore;
import io.repave.testing.StoreCall;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** What it costs to list a snapshot table, and that all of a listing comes from one version. */
class ListingRequestsTest {
  private final CountedReads lake = new CountedReads();

  private static List<String> list(RepaveFileSystem files, String path) throws IOException {
    return Arrays.stream(files.listStatus(new Path(path)))
        .map(each -> each.getPath().toString())
        .toList();
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
      lake.table(partitions);
      assertThat(descend(lake.process(LARGE), ROOT)).hasSize(partitions);
      assertThat(lake.requests).containsExactly("READ head.json", "READ manifest.json.gz");
    }
  }

  @Test
  void aBulkListingReadsTheHeadAndTheRecordsOnce() throws Exception {
    lake.table(300);
    RepaveFileSystem files = lake.process(LARGE);
    assertThat(walk(files, ROOT)).hasSize(300).contains(ROOT + "/dt=00007/" + FILE);
    assertThat(lake.requests).containsExactly("READ head.json", "READ manifest.json.gz");
    lake.requests.clear();
    assertThat(walk(files, ROOT)).hasSize(300);
    assertThat(lake.requests).as("the version is in memory").containsExactly("READ head.json");
  }

  @Test
  void whatIsBelowAListedFolderIsAnsweredWithoutARequest() throws Exception {
    lake.table(20);
    RepaveFileSystem files = lake.process(LARGE);
    String folder = list(files, ROOT).get(0);
    String file = list(files, folder).get(0);
    lake.requests.clear();
    assertThat(files.exists(new Path(folder))).isTrue();
    assertThat(files.getFileStatus(new Path(folder)).isDirectory()).isTrue();
    assertThat(files.exists(new Path(folder + "/absent"))).isFalse();
    assertThat(files.getFileStatus(new Path(file)).getLen()).isEqualTo(3);
    assertThat(walk(files, folder)).containsExactly(file);
    assertThat(files.globStatus(new Path(folder + "/part-*"))).hasSize(1);
    assertThat(lake.requests).isEmpty();
  }

  @Test
  void aPatternCostsTheSameForAnyNumberOfMatches() throws Exception {
    lake.table(50);
    RepaveFileSystem files = lake.process(LARGE);
    FileStatus[] found = files.globStatus(new Path(ROOT + "/dt=000[01]*/*.parquet"));
    assertThat(found).hasSize(20);
    for (FileStatus each : found) {
      files.getFileStatus(each.getPath());
    }
    // The pattern gets its version from the head, and the version's records begin with it.
    assertThat(lake.requests)
        .containsExactly("READ head.json", "READ head.json", "READ manifest.json.gz");
  }

  @Test
  void anotherProcessListsPinnedFoldersWithFewRequests() throws Exception {
    lake.table(300);
    List<String> folders = list(lake.process(LARGE), ROOT);
    RepaveFileSystem executor = lake.process(LARGE);
    for (String folder : folders) {
      assertThat(list(executor, folder)).hasSize(1);
    }
    // Each of a few folders alone, then all of them: a head and a manifest each time.
    assertThat(lake.requests).hasSize(2 * 5);
  }

  @Test
  void anotherProcessFindsAListedFileByOneHead() throws Exception {
    lake.table(300);
    String file = walk(lake.process(LARGE), ROOT).get(7);
    String pinned = descend(lake.process(LARGE), ROOT).get(7);
    RepaveFileSystem executor = lake.process(LARGE);
    assertThat(executor.getFileStatus(new Path(file)).getLen()).isEqualTo(3);
    assertThat(lake.requests).containsExactly("HEAD " + FILE);
    assertThat(executor.getFileStatus(new Path(pinned)).getLen()).isEqualTo(3);
    assertThat(lake.requests).as("both paths are of one file").containsExactly("HEAD " + FILE);
  }

  @Test
  void theRootOfATableIsAFolderWithoutItsFilesBeingRead() throws Exception {
    lake.table(20);
    RepaveFileSystem files = lake.process(LARGE);
    assertThat(files.getFileStatus(new Path(ROOT)).isDirectory()).isTrue();
    assertThat(lake.requests).containsExactly("READ head.json");
    assertThat(files.exists(new Path(ROOT + "/_spark_metadata"))).isFalse();
    assertThat(lake.requests).containsExactly("READ head.json");
  }

  @Test
  void whatSparkAsksBeforeItListsCostsOneLook() throws Exception {
    lake.table(20);
    RepaveFileSystem files = lake.process(LARGE);
    for (String asked : List.of(ROOT, ROOT + "/dt=00007")) {
      assertThat(files.exists(new Path(asked))).isTrue();
      assertThat(files.getFileStatus(new Path(asked)).isDirectory()).isTrue();
      assertThat(files.exists(new Path(asked + "/_spark_metadata"))).isFalse();
    }
    assertThat(lake.requests)
        .containsExactly("READ head.json", "READ head.json", "READ manifest.json.gz");
    lake.requests.clear();
    assertThat(list(files, ROOT + "/dt=00007")).hasSize(1);
    assertThat(lake.requests).as("a listing looks itself").containsExactly("READ head.json");
  }

  @Test
  void aFolderThatAnotherProcessHasJustWrittenExists() throws Exception {
    lake.table(20);
    RepaveFileSystem files = lake.process(LARGE);
    assertThat(files.exists(new Path(ROOT))).isTrue();
    assertThat(list(files, ROOT)).hasSize(20);
    Path written = new Path(ROOT + "/dt=new");
    assertThat(files.exists(written)).isFalse();
    lake.table.commit(CommitKind.DYNAMIC, "dt=new");
    assertThat(files.exists(written)).isTrue();
    assertThat(list(files, ROOT)).hasSize(21);
  }

  @Test
  void aTableThatWasDroppedIsNotListed() throws Exception {
    lake.table(3);
    RepaveFileSystem files = lake.process(LARGE);
    assertThat(files.exists(new Path(ROOT))).isTrue();
    lake.table.store.delete(List.copyOf(lake.table.store.objects().keySet()));
    assertThatThrownBy(() -> files.listStatus(new Path(ROOT)))
        .isInstanceOf(FileNotFoundException.class);
    assertThat(files.exists(new Path(ROOT))).as("after a look").isFalse();
  }

  @Test
  void onePartitionOfALargeTableIsReadFromTheShardsThatCoverIt() throws Exception {
    lake.table.checkpointEvery(1);
    for (int number = 0; number < 25_000; number++) {
      lake.lay("dt=%05d/%s".formatted(number, FILE));
    }
    lake.table.open().adopt();
    RepaveFileSystem files = lake.process(LARGE);
    assertThat(list(files, ROOT + "/dt=12345")).containsExactly(ROOT + "/dt=12345/" + FILE);
    assertThat(lake.requests).hasSizeLessThanOrEqualTo(5).startsWith("READ head.json");
    assertThat(lake.requests).filteredOn(each -> each.matches(".*-0000\\d.json.gz")).hasSize(1);
  }

  @Test
  void aVersionThatIsTooLargeForTheCacheIsListedFolderByFolder() throws Exception {
    lake.table(300);
    RepaveFileSystem files = lake.process(10_000);
    List<String> folders = list(files, ROOT);
    assertThat(folders).hasSize(300);
    for (String folder : folders) {
      assertThat(list(files, folder)).hasSize(1);
    }
  }

  @Test
  void aListingThatAnOverwriteOvertakesShowsOneVersion() throws Exception {
    lake.table(30);
    RepaveFileSystem files = lake.process(LARGE);
    List<String> folders = list(files, ROOT);
    long before = lake.table.open().head().orElseThrow().version();
    lake.table.commit(CommitKind.DYNAMIC, "dt=00001", "dt=00002");
    assertThat(lake.table.open().head().orElseThrow().version()).isGreaterThan(before);
    for (RepaveFileSystem each : List.of(files, lake.process(LARGE))) {
      for (String folder : folders) {
        assertThat(list(each, folder)).as(folder).containsExactly(folder + "/" + FILE);
      }
    }
    assertThat(walk(files, ROOT)).hasSize(30).doesNotContain(ROOT + "/dt=00002/" + FILE);
  }

  @Test
  void aPinOfADroppedTableIsRefusedInsteadOfShowingTheNextOnesFiles() throws Exception {
    lake.table(5);
    String pinned = list(lake.process(LARGE), ROOT).get(0);
    var objects = lake.table.store.list(new Location("lake", "sales"), "").objects();
    lake.table.store.delete(objects.stream().map(it -> new Location("lake", it.key())).toList());
    lake.lay("dt=00000/" + FILE.replace("1111", "2222"));
    lake.table.open().adopt();
    RepaveFileSystem executor = lake.process(LARGE);
    assertThatThrownBy(() -> list(executor, pinned))
        .isNotInstanceOf(FileNotFoundException.class)
        .hasMessageContaining("was dropped and created again");
    assertThat(walk(executor, ROOT)).singleElement().asString().contains("2222");
  }

  @Test
  void aFolderWithoutAVersionHasFilesUnderItsOwnPath() throws Exception {
    lake.lay("dt=00001/" + FILE);
    lake.lay("dt=00001/hour=1/adopted.parquet");
    lake.table.open().adopt();
    RepaveFileSystem files = lake.process(LARGE);
    String folder = ROOT + "/dt=00001";
    List<String> found = walk(files, folder);
    assertThat(found).hasSize(2).contains(folder + "/" + FILE);
    // Its name is not unique, so its version says which file it is.
    assertThat(found).anyMatch(each -> each.matches(".*/@v1-\\w+/dt=00001/hour=1/adopted.parquet"));
    assertThat(walk(files, ROOT + "/@v1")).allMatch(each -> each.startsWith(ROOT + "/@v1/"));
  }

  @Test
  void aListingTableIsStillLookedAtBeforeAndAfter() throws Exception {
    lake.table.configure(it -> it.readers(Readers.LISTING));
    lake.lay("dt=1/" + FILE);
    lake.table.open().adopt();
    RepaveFileSystem files = lake.process(LARGE);
    assertThat(list(files, ROOT + "/dt=1")).hasSize(1);
    assertThat(lake.requests.stream().filter(each -> each.equals("READ head.json"))).hasSize(2);
    assertThat(lake.requests.stream().filter(each -> each.startsWith(StoreCall.LIST.name())))
        .isNotEmpty();
  }

  /** Folders that are not named key=value, such as those of an adopted table of logs. */
  @Test
  void aFolderDeepInATableShowsTheVersionForOneRequestOnEachLevel() throws Exception {
    lake.lay("2026/11/22/" + FILE);
    lake.table.open().adopt();
    lake.lay("2026/11/22/unpublished");
    assertThat(list(lake.process(LARGE), ROOT + "/2026/11/22"))
        .singleElement()
        .asString()
        .endsWith(FILE);
    assertThat(lake.requests)
        .containsExactly(
            "READ head.json",
            "READ head.json",
            "READ head.json",
            "READ head.json",
            "READ manifest.json.gz");
  }

  @Test
  void aBulkListingAboveTablesShowsTheFilesOfTheirVersions() throws Exception {
    lake.table(2);
    lake.lay("dt=00000/part-00000-99999999-9999-4999-8999-999999999999-1.c000.parquet");
    lake.table.store.put(new Location("lake", "raw/file"), ByteBuffer.wrap(new byte[3]));
    RepaveFileSystem files = lake.process(LARGE);
    List<String> shown = new ArrayList<>(walk(files, ROOT));
    shown.add("repave://lake/raw/file");
    assertThat(walk(files, "repave://lake/")).containsExactlyInAnyOrderElementsOf(shown);
  }

  /** Its folders hold replaced and unpublished files too. */
  @Test
  void aTableWhoseHeadWasDeletedIsNotListed() throws Exception {
    lake.table(2);
    lake.table.commit(CommitKind.DYNAMIC, "dt=00001");
    lake.table.store.delete(List.of(lake.table.paths.head()));
    RepaveFileSystem files = lake.process(LARGE);
    for (String path : List.of(ROOT, ROOT + "/dt=00001")) {
      assertThatThrownBy(() -> list(files, path)).hasMessageContaining("head.json is missing");
      assertThatThrownBy(() -> walk(files, path)).hasMessageContaining("head.json is missing");
    }
    assertThatThrownBy(() -> walk(files, "repave://lake/")).hasMessageContaining("is missing");
  }

  @Test
  void aFolderWithoutRecordsIsListedWithoutAskingForSome() throws Exception {
    lake.lay("dt=1/" + FILE);
    RepaveFileSystem files = lake.process(LARGE);
    assertThat(list(files, ROOT)).containsExactly(ROOT + "/dt=1");
    assertThat(lake.requests).doesNotContain("LIST commits");
    assertThat(list(files, ROOT + "/dt=1")).hasSize(1);
    assertThat(lake.requests).filteredOn("LIST commits"::equals).hasSize(1);
  }

  @Test
  void aFolderWithoutATableIsReadAlthoughFoldersAboveItMayNotBeRead() throws Exception {
    Location file = new Location("lake", "raw/a/b/c/file");
    lake.table.store.put(file, ByteBuffer.wrap(new byte[3]));
    ObjectStore ours =
        InterceptingStore.before(
            lake.table.store,
            (call, at) -> {
              if (call == StoreCall.READ && !at.key().startsWith("raw/a/b/c/")) {
                throw new StoreException(StoreException.Kind.DENIED, "denied", null);
              }
            });
    assertThat(list(lake.process(ours, LARGE), "repave://lake/raw/a/b/c"))
        .containsExactly("repave://lake/raw/a/b/c/file");
  }
}
