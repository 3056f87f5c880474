package io.repave.hadoop;

import static io.repave.hadoop.CountedReads.FILE;
import static io.repave.hadoop.CountedReads.LARGE;
import static io.repave.hadoop.CountedReads.ROOT;
import static io.repave.hadoop.CountedReads.walk;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.hadoop.read.VersionFiles;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** The files of a version for an engine that does not list, and what they cost. */
class VersionFilesTest {
  private final CountedReads lake = new CountedReads();

  @Test
  void allFilesOfAVersionHaveThePathsThatABulkListingShows() throws Exception {
    for (String other : List.of(FILE, "hour=1/adopted.parquet")) {
      lake.table = new TestTable(Readers.SNAPSHOT);
      lake.lay("dt=00001/" + FILE);
      lake.lay("dt=00002/" + other);
      lake.table.open().adopt();
      RepaveFileSystem files = lake.process(LARGE);
      for (String path : List.of(ROOT, ROOT + "/", ROOT + "/@v1", ROOT + "/@2999-01-01")) {
        assertThat(all(files, path)).hasSize(2).hasSameElementsAs(walk(files, path));
      }
      lake.requests.clear();
      assertThat(all(files, ROOT)).hasSize(2);
      assertThat(lake.requests).containsExactly("READ head.json");
    }
  }

  private static List<String> all(RepaveFileSystem files, String path) throws IOException {
    return paths(files.version(new Path(path)).orElseThrow().byFolder());
  }

  private static List<String> paths(List<VersionFiles.Folder> folders) {
    List<String> found = new ArrayList<>();
    for (VersionFiles.Folder folder : folders) {
      for (FileStatus file : folder.files()) {
        assertThat(file.getPath().getParent()).isEqualTo(folder.path());
        assertThat(folder.path().toString()).endsWith(folder.name());
        found.add(file.getPath().toString());
      }
    }
    return found;
  }

  @Test
  void someFoldersOfAVersionThatIsTooLargeForTheCacheAreReadTogether() throws Exception {
    lake.table(300);
    RepaveFileSystem files = lake.process(2_000);
    List<String> wanted = List.of("dt=00003", "dt=00007", "dt=00100", "dt=00200", "dt=00299");
    for (int query = 0; query < 2; query++) {
      VersionFiles version = files.version(new Path(ROOT)).orElseThrow();
      lake.requests.clear();
      assertThat(paths(version.byFolder(wanted))).hasSize(5);
      assertThat(lake.requests).hasSizeLessThanOrEqualTo(2);
    }
  }

  @Test
  void onlyTheFolderOfASnapshotTableHasAllFilesOfAVersion() throws Exception {
    lake.table(2);
    RepaveFileSystem files = lake.process(LARGE);
    String exact =
        files.listStatus(new Path(ROOT))[0].getPath().toString().replace("/dt=00000", "");
    lake.requests.clear();
    for (String path : List.of("/dt=00000", "/dt=9", "/@v1/dt=00000")) {
      assertThat(files.version(new Path(ROOT + path))).as(path).isEmpty();
    }
    assertThat(files.version(new Path(exact))).isEmpty();
    assertThat(lake.requests).as("Spark asks for these paths by itself").isEmpty();
    assertThat(files.version(new Path(ROOT + "-absent"))).isEmpty();
    assertThatThrownBy(() -> files.version(new Path(ROOT + "/@v7")).orElseThrow().byFolder())
        .isInstanceOf(InvalidConfigException.class);
    lake.table = new TestTable(Readers.LISTING);
    lake.lay("dt=1/" + FILE);
    lake.table.open().adopt();
    assertThat(lake.process(LARGE).version(new Path(ROOT))).isEmpty();
  }

  @Test
  void aSingleFolderIsLoadedAloneAndSeveralWithTheVersion() throws Exception {
    lake.table(300);
    RepaveFileSystem files = lake.process(LARGE);
    VersionFiles version = files.version(new Path(ROOT)).orElseThrow();
    for (String folder : List.of("dt=00003", "dt=00007")) {
      lake.requests.clear();
      assertThat(paths(version.byFolder(List.of(folder)))).containsExactly(at(folder));
      assertThat(lake.requests).as("not in memory").containsExactly("READ manifest.json.gz");
    }
    lake.requests.clear();
    assertThat(paths(version.byFolder(List.of("dt=00009", "absent", "dt=00299", "dt=0"))))
        .containsExactlyInAnyOrder(at("dt=00009"), at("dt=00299"));
    assertThat(lake.requests).containsExactly("READ manifest.json.gz");
    lake.requests.clear();
    assertThat(paths(version.byFolder(List.of("dt=00100")))).containsExactly(at("dt=00100"));
    assertThat(version.byFolder(List.of("dt=00100")).get(0))
        .as("shared by all places of a query")
        .isSameAs(version.byFolder(List.of("dt=00009", "dt=00100")).get(1));
    assertThat(paths(version.byFolder(List.of()))).isEmpty();
    assertThat(lake.requests).as("the version is in memory").isEmpty();
  }

  /** A running query asks for the status of each file that it has listed. */
  @Test
  void anAdoptedFileOfTheTablesFolderIsOpenedAfterACommitHasReplacedIt() throws Exception {
    lake.table = new TestTable(Readers.SNAPSHOT);
    lake.lay("adopted.parquet");
    lake.table.open().adopt();
    Path file = new Path(ROOT + "/adopted.parquet");
    assertThat(all(lake.process(LARGE), ROOT)).containsExactly(file.toString());
    lake.table.commit(CommitKind.STATIC, "");
    RepaveFileSystem task = lake.process(LARGE);
    FileStatus replaced = task.getFileStatus(file);
    assertThat(replaced.getPath()).isEqualTo(file);
    assertThat(replaced.getLen()).isEqualTo(3);
    assertThat(task.exists(new Path(ROOT + "/absent.parquet"))).isFalse();
    for (String other : List.of("/@v2/adopted.parquet", "/dt=1", "/_spark_metadata")) {
      lake.requests.clear();
      assertThat(task.exists(new Path(ROOT + other))).isFalse();
      assertThat(lake.requests).doesNotContain("HEAD " + other.replaceAll(".*/", ""));
    }
    assertThatThrownBy(() -> task.listStatus(file)).hasMessageContaining("is not in version 2");
    assertThat(all(task, ROOT)).hasSize(1).doesNotContain(file.toString());
  }

  private static String at(String folder) {
    return ROOT + "/" + folder + "/" + FILE;
  }

  @Test
  void theFolderOfAVersionStaysAtIt() throws Exception {
    lake.table(1);
    RepaveFileSystem files = lake.process(LARGE);
    Path folder = files.version(new Path(ROOT)).orElseThrow().folder("dt=00000");
    lake.table.commit(CommitKind.DYNAMIC, "dt=00000");
    assertThat(files.listStatus(folder))
        .extracting(file -> file.getPath().getName())
        .containsExactly(FILE);
  }
}
