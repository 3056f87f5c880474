package io.repave.core.follow;

import static io.repave.core.follow.DeltaLogTest.follow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.CountedStore;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.TestTable;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class OtherFormatTest {
  private static final String DELTA = "_delta_log/00000000000000000000.json";
  private static final int PAGE = 1000;

  @ParameterizedTest
  @CsvSource({
    "Delta, " + DELTA,
    "Delta, _delta_log/00000000000000000017.json",
    "Iceberg, metadata/00000-b2.metadata.json",
    "Iceberg, metadata/v1.metadata.json",
    "Hudi, .hoodie/hoodie.properties",
  })
  void noCommitBeginsATableInTheFolderOfAnotherFormat(String format, String metadata)
      throws Exception {
    TestTable table = new TestTable();
    table.foreign(metadata);
    table.foreign("dt=2026-11-21/part-0.parquet");
    for (CommitKind kind : Set.of(CommitKind.APPEND, CommitKind.DYNAMIC, CommitKind.STATIC)) {
      assertThatThrownBy(() -> table.commit(kind, "dt=2026-11-21"))
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageStartingWith("There is a table of " + format + " in s3://lake/sales")
          .hasMessageContaining("s3://lake/sales/" + metadata);
    }
    assertThat(table.store.objects()).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void aJobOfEitherKindOfTableIsRefused(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    table.foreign(DELTA);
    assertThatThrownBy(() -> table.commit(CommitKind.APPEND, "dt=2026-11-21"))
        .isInstanceOf(InvalidConfigException.class);
    assertThat(table.store.objects()).hasSize(1);
  }

  @Test
  void itsFilesAreNotAdopted() throws Exception {
    TestTable table = new TestTable();
    table.foreign(DELTA);
    table.foreign("dt=2026-11-21/part-0.parquet");
    assertThatThrownBy(() -> table.open().adopt()).isInstanceOf(InvalidConfigException.class);
    assertThatThrownBy(() -> table.open().previewAdoption())
        .isInstanceOf(InvalidConfigException.class);
    assertThatThrownBy(() -> table.open().follow(FollowerKind.SYMLINK))
        .isInstanceOf(InvalidConfigException.class);
    assertThat(table.store.objects()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {DELTA, "metadata/v1.metadata.json", ".hoodie/hoodie.properties"})
  void metadataAfterAPageOfPartitionsIsFound(String metadata) throws Exception {
    TestTable table = new TestTable();
    for (int file = 0; file <= PAGE; file++) {
      table.foreign("A=%05d/part-0.parquet".formatted(file));
    }
    table.foreign(metadata);
    assertThatThrownBy(() -> table.commit(CommitKind.APPEND, "dt=2026-11-21"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(metadata);
  }

  /** In Iceberg's Hadoop catalog, manifests sort before {@code v1.metadata.json}. */
  @ParameterizedTest
  @ValueSource(strings = {"%08x-5a0e-41c5-9a1e-0d4e2f6b7c88-m0.avro", "snap-%019d-1-b2.avro"})
  void icebergMetadataAfterAPageOfManifestsIsFound(String manifest) throws Exception {
    TestTable table = new TestTable();
    for (int file = 0; file <= PAGE; file++) {
      table.foreign("metadata/" + manifest.formatted(file));
    }
    table.foreign("metadata/v1.metadata.json");
    assertThatThrownBy(() -> table.commit(CommitKind.APPEND, "dt=2026-11-21"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageStartingWith("There is a table of Iceberg");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".hoodie/",
        ".hoodie/archived/",
        "metadata/part-0.parquet",
        "dt=2026-11-21/metadata/v1.metadata.json",
        "_delta_log_old/00000000000000000000.json",
        "_delta_log/_last_checkpoint",
        "other/_delta_log/00000000000000000000.json",
      })
  void folderNamesAloneStopNobody(String key) throws Exception {
    TestTable table = new TestTable();
    table.foreign(key);
    table.commit(CommitKind.APPEND, "dt=2026-11-22");
    assertThat(table.open().head().orElseThrow().version()).isEqualTo(1);
  }

  /** The log of a table of Repave whose records were deleted without it. */
  @Test
  void aLogThatRepaveLeftStopsNobody() throws Exception {
    TestTable table = new TestTable();
    table.commit(CommitKind.APPEND, "dt=2026-11-21");
    follow(table);
    for (Location at : List.copyOf(table.store.objects().keySet())) {
      if (at.key().contains("/_repave/")) {
        table.store.delete(List.of(at));
      }
    }
    assertThatCode(() -> table.commit(CommitKind.APPEND, "dt=2026-11-22"))
        .doesNotThrowAnyException();
  }

  @Test
  void onlyTheFirstCommitOfATableLooks() throws Exception {
    TestTable table = new TestTable();
    assertThat(lists(table)).isEqualTo(1);
    assertThat(lists(table)).isEqualTo(0);
  }

  private static long lists(TestTable table) throws Exception {
    long before = table.counted.counts().getOrDefault(CountedStore.Request.LIST, 0L);
    table.commit(CommitKind.APPEND, "dt=2026-11-21");
    return table.counted.counts().getOrDefault(CountedStore.Request.LIST, 0L) - before;
  }
}
