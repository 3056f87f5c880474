package io.repave.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.store.Location;
import org.junit.jupiter.api.Test;

class FolderContentsTest {
  private static final String COMMIT = "a11ca986-1bd2-4c3c-b6e6-af8e85d52bf3";
  private static final Location DAY = new Location("lake", "sales/day=1");

  @Test
  void aFileInTheFolderOfItsCommitCountsInThePartition() {
    FolderContents contents = new FolderContents();
    contents.add(DAY.resolve("@" + COMMIT + "/part-00000-" + COMMIT + "-2.c000.parquet"));
    contents.add(DAY.resolve("part-0.parquet"));
    assertThat(contents.folders()).containsExactly(DAY);
    assertThat(contents.in(DAY).number()).isEqualTo(2);
  }

  @Test
  void aFileInTheFolderOfAnotherCommitDoesNot() {
    FolderContents contents = new FolderContents();
    Location folder = DAY.resolve("@another");
    contents.add(folder.resolve("part-00000-" + COMMIT + "-2.c000.parquet"));
    assertThat(contents.folders()).containsExactly(folder);
  }
}
