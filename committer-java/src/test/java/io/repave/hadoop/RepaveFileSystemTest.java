package io.repave.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.hadoop.read.HeadsInPlace;
import io.repave.hadoop.read.SnapshotFiles;
import io.repave.hadoop.read.TableState;
import io.repave.hadoop.read.VersionCache;
import io.repave.hadoop.upload.OpenFiles;
import io.repave.testing.MemoryObjectStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RepaveFileSystemTest {
  private static final Location TABLE = new Location("lake", "sales");

  /** The pin of version 2, with the fingerprint of the id "". */
  private static final String PIN = "@v2-e3b0c44298fc";

  private final MemoryObjectStore store = new MemoryObjectStore();
  private HeadsInPlace records = table -> Optional.empty();
  private RepaveFileSystem files;
  private long oldest = 1;
  private String written = "dt=1";

  @BeforeEach
  void start() throws IOException {
    files =
        new RepaveFileSystem(
            new OpenFiles(),
            (conf, scheme) -> (HeadsInPlace) table -> records.find(table),
            new VersionCache(1 << 20));
    files.initialize(URI.create("repave://lake"), MemoryFileSystem.conf(store));
  }

  /** A table of two versions: dt=1/a was replaced by dt=1/b, dt=2/c stayed. */
  private void snapshotTable() throws IOException {
    lay("dt=1/a", "dt=1/b", "dt=2/c", "dt=3/unpublished");
    records = tables(Readers.SNAPSHOT, Set.of());
  }

  private HeadsInPlace tables(Readers readers, Set<String> hidden) {
    return table ->
        table.equals(TABLE)
            ? Optional.of(new State(readers, hidden, oldest, written))
            : Optional.empty();
  }

  private record State(Readers readers, Set<String> hidden, long oldest, String written)
      implements TableState {
    @Override
    public String tableId() {
      return "";
    }

    @Override
    public long version() {
      return 2;
    }

    @Override
    public boolean hides(Location file) {
      return hidden.contains(TABLE.relative(file));
    }

    @Override
    public void requireKept(long version) throws IOException {
      if (version < oldest) {
        throw new IOException("vacuum has removed version " + version);
      }
    }

    @Override
    public long versionAt(Instant moment) {
      return moment.isBefore(Instant.parse("2026-11-20T03:00:00Z")) ? 1 : 2;
    }

    @Override
    public Optional<SnapshotFiles> files(long version, Collection<String> folders, long bytesMax) {
      SnapshotFiles files = new SnapshotFiles();
      files.add(written, new FileEntry(version == 1 ? "a" : "b", 6));
      files.add("dt=2", new FileEntry("c", 6));
      return Optional.of(files);
    }
  }

  private void lay(String... names) throws IOException {
    for (String name : names) {
      Location at = TABLE.resolve(name);
      store.put(at, ByteBuffer.wrap(name.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
    }
  }

  /** Spark takes a FileNotFoundException in a listing for a path without rows. */
  @Test
  void aFileThatIsGoneSinceItWasListedIsAnError() throws IOException {
    snapshotTable();
    String gone = "/dt=1/part-00000-01234567-89ab-4def-8123-456789abcdef-1.c000.parquet";
    for (String table : List.of("repave://lake/sales", "repave://lake/sales/" + PIN)) {
      assertThatThrownBy(() -> list(table + gone))
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(FileNotFoundException.class);
    }
    assertThatThrownBy(() -> files.getFileStatus(new Path("repave://lake/sales" + gone)))
        .isInstanceOf(FileNotFoundException.class);
  }

  @Test
  void listingATablePinsItsVersionIntoTheChildren() throws IOException {
    snapshotTable();
    assertThat(list("repave://lake/sales"))
        .containsExactly(
            "repave://lake/sales/" + PIN + "/dt=1", "repave://lake/sales/" + PIN + "/dt=2");
    assertThat(list("repave://lake/sales/@v2/dt=1"))
        .containsExactly("repave://lake/sales/@v2/dt=1/b");
  }

  /**
   * A column of file names names its partitions so; such a folder is listed, and does not contain
   * itself.
   */
  @ParameterizedTest
  @ValueSource(strings = {"LISTING", "SNAPSHOT"})
  void aFolderWithTheNameOfAFileIsListed(Readers readers) throws IOException {
    String folder = "dt=part-00000-01234567-89ab-4def-8123-456789abcdef-1.parquet";
    lay(folder + "/b");
    records = tables(readers, Set.of());
    written = folder;
    Path path = new Path("repave://lake/sales/" + folder);

    assertThat(files.getFileStatus(path).isDirectory()).isTrue();
    assertThat(files.listStatus(path))
        .extracting(it -> it.getPath().getName())
        .containsExactly("b");
    assertThat(files.listFiles(path, true).next().getPath().getName()).isEqualTo("b");
  }

  @Test
  void anEarlierVersionIsReadByItsNumber() throws IOException {
    snapshotTable();
    assertThat(list("repave://lake/sales/@v1/dt=1"))
        .containsExactly("repave://lake/sales/@v1/dt=1/a");
    assertThat(read("repave://lake/sales/@v1/dt=1/a")).isEqualTo("dt=1/a");
  }

  @Test
  void aVersionThatVacuumHasRemovedIsRefusedAlthoughItIsInMemory() throws IOException {
    snapshotTable();
    list("repave://lake/sales/@v1");
    oldest = 2;
    String error = "vacuum has removed version 1";
    assertThatThrownBy(() -> list("repave://lake/sales/@v1/dt=1")).hasMessage(error);
    assertThatThrownBy(() -> files.version(new Path("repave://lake/sales/@v1"))).hasMessage(error);
    assertThat(files.exists(new Path("repave://lake/sales/@v2"))).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "2026-11-20T02:59Z, 1",
    "2026-11-20, 1",
    "2026-11-20T03:00, 2",
    "2026-11-20T03:00:00.000Z, 2",
    "2026-11-20T03:30+01:00, 1",
    "2026-11-20T01:30-01:30, 2"
  })
  void aVersionIsReadByAMomentAndPinnedByItsNumber(String moment, int version) throws IOException {
    snapshotTable();
    String pin = "repave://lake/sales/" + PIN.replace("v2", "v" + version);
    assertThat(list("repave://lake/sales/@" + moment))
        .containsExactly(pin + "/dt=1", pin + "/dt=2");
    assertThat(list("repave://lake/sales/@" + moment + "/dt=1"))
        .containsExactly("repave://lake/sales/@" + moment + "/dt=1/" + (version == 1 ? "a" : "b"));
  }

  /** Spark cuts the length of the listed path off the path of each file. */
  @ParameterizedTest
  @ValueSource(strings = {"2026-11-20", "2026-11-20T03:30Z", "2026-11-20T03:30:00.123456789+01:00"})
  void allFilesOfAMomentHavePathsOfItsVersionThatAreNoShorter(String moment) throws IOException {
    snapshotTable();
    String root = "repave://lake/sales/@" + moment;
    int version = moment.equals("2026-11-20T03:30Z") ? 2 : 1;
    for (String found : walk(root)) {
      assertThat(found).startsWith("repave://lake/sales/@v" + version + "-");
      assertThat(found.length() - "/dt=1/a".length()).isGreaterThanOrEqualTo(root.length());
      assertThat(paths(files.listStatus(new Path(found)))).containsExactly(found);
      assertThat(files.getFileStatus(new Path(found)).getPath()).hasToString(found);
    }
    assertThat(walk(root)).hasSize(2);
  }

  @Test
  void aListingTableKeepsNoVersionOfAMoment() throws IOException {
    lay("dt=1/a");
    records = tables(Readers.LISTING, Set.of());
    assertThatThrownBy(() -> list("repave://lake/sales/@2026-11-20T03:00Z"))
        .hasMessageContaining("Read it without @2026-11-20T03:00Z.");
    assertThatThrownBy(() -> list("repave://lake/sales/@2026-13-20"))
        .hasMessageContaining("'2026-13-20' is not a time");
  }

  @Test
  void aPartitionFolderAloneIsReadFromThePublishedVersion() throws IOException {
    snapshotTable();
    assertThat(list("repave://lake/sales/dt=1")).containsExactly("repave://lake/sales/dt=1/b");
    assertThatThrownBy(() -> files.listStatus(new Path("repave://lake/sales/dt=3")))
        .isInstanceOf(FileNotFoundException.class);
  }

  @Test
  void aFileThatWasListedIsFoundByItsNameAfterAnotherVersion() throws IOException {
    String listed = "dt=1/part-00000-11111111-1111-4111-8111-111111111111-1.c000.parquet";
    lay(listed, "dt=1/b", "dt=2/c", "dt=3/unpublished");
    records = tables(Readers.SNAPSHOT, Set.of());
    Path gone = new Path("repave://lake/sales/" + listed);
    assertThat(files.getFileStatus(gone).getLen()).isEqualTo(listed.length());
    assertThat(read(gone.toString())).isEqualTo(listed);
    assertThatThrownBy(() -> files.listStatus(new Path("repave://lake/sales/dt=3/unpublished")))
        .isInstanceOf(FileNotFoundException.class);
    assertThatThrownBy(() -> files.getFileStatus(new Path("repave://lake/sales/@v2/" + listed)))
        .isInstanceOf(FileNotFoundException.class);
  }

  @Test
  void allFilesOfATableComeFromOneVersion() throws IOException {
    snapshotTable();
    assertThat(walk("repave://lake/sales"))
        .containsExactly(
            "repave://lake/sales/" + PIN + "/dt=1/b", "repave://lake/sales/" + PIN + "/dt=2/c");
  }

  /** DistCp names a copy by what follows the path of its source. */
  @ParameterizedTest
  @ValueSource(strings = {"repave://lake/sales/*", "repave://lake/sales/" + PIN})
  void everyPathBelowAnExactVersionBeginsWithThePathAboveIt(String source) throws IOException {
    snapshotTable();
    written = "dt=1/hour=2";
    List<String> found = new ArrayList<>();
    for (FileStatus match : files.globStatus(new Path(source))) {
      descend(match.getPath(), found);
    }
    assertThat(found).hasSize(2).allMatch(path -> path.startsWith("repave://lake/sales/" + PIN));
  }

  private void descend(Path folder, List<String> found) throws IOException {
    for (FileStatus child : files.listStatus(folder)) {
      assertThat(child.getPath()).asString().startsWith(folder + "/");
      if (child.isFile()) {
        found.add(child.getPath().toString());
      } else {
        descend(child.getPath(), found);
      }
    }
  }

  @Test
  void aPatternMatchesOneVersion() throws IOException {
    snapshotTable();
    assertThat(paths(files.globStatus(new Path("repave://lake/sales/dt=*/*"))))
        .containsExactly(
            "repave://lake/sales/" + PIN + "/dt=1/b", "repave://lake/sales/" + PIN + "/dt=2/c");
    assertThat(paths(files.globStatus(new Path("repave://lake/sal*/dt=1"))))
        .containsExactly("repave://lake/sales/dt=1");
    assertThat(paths(files.globStatus(new Path("repave://lake/sales/@v1/dt={1,2}/?"))))
        .containsExactly("repave://lake/sales/@v1/dt=1/a", "repave://lake/sales/@v1/dt=2/c");
  }

  /** Otherwise each folder would look the moment up again, and could find another version. */
  @ParameterizedTest
  @CsvSource({"2026-11-20, 1, a", "2026-11-20T02:59Z, 1, a", "2100-01-01, 2, b"})
  void aPatternBelowAMomentMatchesTheVersionOfThatMoment(String moment, int version, String file)
      throws IOException {
    snapshotTable();
    String pin = "repave://lake/sales/" + PIN.replace("v2", "v" + version);
    assertThat(paths(files.globStatus(new Path("repave://lake/sales/@" + moment + "/dt=*/*"))))
        .containsExactly(pin + "/dt=1/" + file, pin + "/dt=2/c");
  }

  @Test
  void aStatusHasThePathThatWasAskedFor() throws IOException {
    snapshotTable();
    FileStatus file = files.getFileStatus(new Path("repave://lake/sales/dt=1/b"));
    assertThat(file.getPath()).hasToString("repave://lake/sales/dt=1/b");
    assertThat(file.getLen()).isEqualTo(6);
    FileStatus folder = files.getFileStatus(new Path("repave://lake/sales"));
    assertThat(folder.isDirectory()).isTrue();
    assertThat(folder.getPath()).hasToString("repave://lake/sales");
    Path replaced = new Path("repave://lake/sales/dt=1/a");
    assertThat(files.exists(replaced)).as("a query that runs may have listed it").isTrue();
    assertThatThrownBy(() -> files.listStatus(replaced)).isInstanceOf(FileNotFoundException.class);
  }

  @Test
  void aTableWithoutRecordsIsReadAsItLies() throws IOException {
    lay("dt=1/a", "dt=2/c");
    assertThat(list("repave://lake/sales"))
        .containsExactly("repave://lake/sales/dt=1", "repave://lake/sales/dt=2");
    assertThat(walk("repave://lake/sales"))
        .containsExactly("repave://lake/sales/dt=1/a", "repave://lake/sales/dt=2/c");
    assertThat(read("repave://lake/sales/dt=2/c")).isEqualTo("dt=2/c");
    assertThatThrownBy(() -> list("repave://lake/sales/@v1"))
        .isNotInstanceOf(FileNotFoundException.class)
        .hasMessageContaining("has no versions");
  }

  @Test
  void readingGoesOnAfterSomebodyClosedTheFileSystemOfTheStore() throws IOException {
    lay("dt=1/a");
    Configuration conf = MemoryFileSystem.conf(store);
    conf.setBoolean("fs.memory.impl.disable.cache", false);
    files.initialize(URI.create("repave://lake"), conf);
    assertThat(read("repave://lake/sales/dt=1/a")).isEqualTo("dt=1/a");
    for (int again = 0; again < 2; again++) {
      FileSystem.get(URI.create("memory://lake"), conf).close();
      assertThat(list("repave://lake/sales")).containsExactly("repave://lake/sales/dt=1");
      assertThat(read("repave://lake/sales/dt=1/a")).isEqualTo("dt=1/a");
    }
  }

  @Test
  void aListingTableHidesWhatIsNotPublishedOrAboutToGo() throws IOException {
    lay("dt=1/old", "dt=1/new", "dt=2/c");
    records = tables(Readers.LISTING, Set.of("dt=1/old"));
    assertThat(list("repave://lake/sales/dt=1")).containsExactly("repave://lake/sales/dt=1/new");
    assertThat(walk("repave://lake/sales"))
        .containsExactly("repave://lake/sales/dt=1/new", "repave://lake/sales/dt=2/c");
    assertThat(files.exists(new Path("repave://lake/sales/dt=1/old"))).isFalse();
    assertThatThrownBy(() -> list("repave://lake/sales/@v1"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("keeps no earlier versions");
  }

  @Test
  void changesAreRefusedWithTheWayToWrite() throws IOException {
    Path path = new Path("repave://lake/sales/dt=1/a");
    assertThat(files.delete(path, true)).as("there is nothing to delete").isFalse();
    lay("dt=1/a");
    records = tables(Readers.LISTING, Set.of());
    assertThatThrownBy(() -> files.create(path))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("spark.sql.sources.commitProtocolClass");
    assertThatThrownBy(() -> files.delete(path, true)).hasMessageContaining("for reading");
    assertThatThrownBy(() -> files.rename(path, path)).hasMessageContaining("for reading");
    assertThatThrownBy(() -> files.append(path)).hasMessageContaining("for reading");
  }

  private List<String> list(String path) throws IOException {
    return paths(files.listStatus(new Path(path)));
  }

  private static List<String> paths(FileStatus... statuses) {
    return Arrays.stream(statuses).map(status -> status.getPath().toString()).toList();
  }

  private List<String> walk(String path) throws IOException {
    List<String> found = new ArrayList<>();
    RemoteIterator<LocatedFileStatus> all = files.listFiles(new Path(path), true);
    while (all.hasNext()) {
      found.add(all.next().getPath().toString());
    }
    return found;
  }

  private String read(String path) throws IOException {
    try (FSDataInputStream in = files.open(new Path(path))) {
      return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    }
  }
}
