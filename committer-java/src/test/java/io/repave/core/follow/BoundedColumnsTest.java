package io.repave.core.follow;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.ledger.ColumnBounds;
import io.repave.core.ledger.FileFacts;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class BoundedColumnsTest {
  private static final Map<String, String> TYPES =
      Map.of("id", "long", "note", "string", "share", "double", "a b", "long");

  private static ColumnBounds bounds(String column, String type, String low, String high) {
    return new ColumnBounds(
        column, type, Optional.ofNullable(low), Optional.ofNullable(high), OptionalLong.of(0));
  }

  private static final ColumnBounds ID = bounds("id", "long", "1", "2");
  private static final ColumnBounds NOTE = bounds("note", "string", "a", "b");

  private static ColumnBounds nulls(String column, String type) {
    return new ColumnBounds(column, type, Optional.empty(), Optional.empty(), OptionalLong.of(5));
  }

  private static FileFacts file(ColumnBounds... columns) {
    return FileFacts.ofRows(5).withColumns(List.of(columns));
  }

  private static List<String> chosen(List<String> before, FileFacts... files) {
    BoundedColumns columns = new BoundedColumns(before);
    for (FileFacts file : files) {
      columns.file(file);
    }
    return columns.of(TYPES);
  }

  @Test
  void theyAreThoseThatAllFilesOfTheFirstVersionWithBoundsHave() {
    assertThat(chosen(List.of())).isEmpty();
    assertThat(chosen(List.of(), FileFacts.NONE, file())).isEmpty();
    assertThat(chosen(List.of(), file(ID, NOTE))).containsExactly("id", "note");
    assertThat(chosen(List.of(), file(ID, NOTE), file(ID))).containsExactly("id");
    assertThat(chosen(List.of(), file(ID), file(NOTE))).isEmpty();
    assertThat(chosen(List.of(), file(ID), file())).containsExactly("id");
  }

  @Test
  void aFileInWhichAColumnIsNullDoesNotMatter() {
    assertThat(chosen(List.of(), file(ID, nulls("note", "string")), file(ID, NOTE)))
        .containsExactly("id", "note");
    assertThat(chosen(List.of(), file(ID, nulls("note", "string")))).containsExactly("id");
    assertThat(chosen(List.of(), file(ID, bounds("note", "string", "a", null)), file(ID, NOTE)))
        .containsExactly("id");
  }

  @Test
  void columnsThatAreRarelyBoundedOrThatAListCannotNameAreNotChosen() {
    ColumnBounds share = bounds("share", "double", "1.5", "2.5");
    ColumnBounds blank = bounds("a b", "long", "1", "2");
    ColumnBounds other = bounds("note", "long", "1", "2");
    assertThat(chosen(List.of(), file(ID, share, blank, other))).containsExactly("id");
    assertThat(chosen(List.of(), file(share))).isEmpty();
  }

  @Test
  void whatAnEarlierVersionHasChosenStays() {
    assertThat(chosen(List.of("id"), file(ID, NOTE))).containsExactly("id");
    assertThat(chosen(List.of("id"), file(NOTE))).containsExactly("id");
    assertThat(chosen(List.of("id"))).containsExactly("id");
  }
}
