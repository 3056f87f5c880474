package io.repave.core.listing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.testing.TestTable;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Java and Python hide the same keys: {@code contract/hidden-keys.json}. */
class HiddenKeysTest {
  private static final String[] FOLDER_MARKS = {
    "dt=1_$folder$", "dt=1/hour=2_$folder$", "old_$folder$"
  };

  @Test
  void aKeyIsADataFileOrHiddenAsTheContractSays() throws Exception {
    Path root = Path.of(System.getProperty("user.dir")).getParent();
    JsonNode keys = new ObjectMapper().readTree(root.resolve("contract/hidden-keys.json").toFile());
    assertThat(keys).isNotEmpty();
    for (JsonNode each : keys) {
      String key = each.get("key").asText();
      assertThat(TouchedListing.isHidden(key)).as(key).isEqualTo(each.get("hidden").asBoolean());
    }
  }

  @Test
  void anAdoptionDoesNotRecordFolderMarks() throws Exception {
    TestTable table = marked(Readers.LISTING);
    table.foreign("dt=1/old.parquet");
    assertThat(table.open().adopt().totals().adopted()).isEqualTo(1);
  }

  @Test
  void overwritesLeaveFolderMarks() throws Exception {
    TestTable table = marked(Readers.LISTING);
    table.commit(CommitKind.DYNAMIC, "dt=1", "dt=2");
    table.commit(CommitKind.DYNAMIC, "dt=1");
    table.commit(CommitKind.STATIC, "dt=1");
    assertThat(table.files()).hasSize(FOLDER_MARKS.length + 1).contains(FOLDER_MARKS);
  }

  @Test
  void theFirstJobAndAVacuumOfASnapshotTableLeaveFolderMarks() throws Exception {
    TestTable table = marked(Readers.SNAPSHOT);
    table.commit(CommitKind.DYNAMIC, "dt=1");
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(table.recorded()).hasSize(1);
    table.clock.advance(1);
    table.open().vacuum(0);
    assertThat(table.files()).hasSize(FOLDER_MARKS.length + 1).contains(FOLDER_MARKS);
  }

  @Test
  void anAdoptionDoesNotRecordUnfinishedCopies() throws Exception {
    TestTable table = new TestTable(Readers.LISTING);
    table.foreign("dt=1/old.parquet");
    table.foreign("dt=1/old.parquet._COPYING_");
    assertThat(table.open().adopt().totals().adopted()).isEqualTo(1);
  }

  @Test
  void anOverwriteOfAListingTableDeletesUnfinishedCopiesInItsFolders() throws Exception {
    TestTable table = new TestTable(Readers.LISTING);
    table.foreign("dt=1/old.parquet._COPYING_");
    table.foreign("dt=2/old.parquet._COPYING_");
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(table.files()).hasSize(2).contains("dt=2/old.parquet._COPYING_");
    assertThat(table.open().sizes(List.of("dt=2"))).hasSize(1);
    table.open().drop(List.of("dt=2"), "");
    assertThat(table.files()).hasSize(1);
  }

  private static TestTable marked(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    for (String mark : FOLDER_MARKS) {
      table.foreign(mark);
    }
    return table;
  }
}
