package io.repave.core.follow;

import io.repave.core.error.DeltaLogErrors;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.FollowerState.Column;
import io.repave.core.record.PartitionEscapes;
import io.repave.core.record.RecordNames;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The partition columns and values in the name of a partition's folder. {@code place} is the folder
 * that contains the first of its segments with a column; that of the files if there is none.
 */
record PartitionFolder(String partition, String place, List<String> names, List<String> values) {

  /**
   * Refuses a partition outside the table, because the name of its folder does not have its values.
   */
  static PartitionFolder of(String partition) throws InvalidRecordException {
    if (RecordNames.isOutside(partition)) {
      throw DeltaLogErrors.outside(partition);
    }
    List<String> names = new ArrayList<>();
    List<String> values = new ArrayList<>();
    String place = "";
    for (String segment : partition.split("/")) {
      int equals = segment.indexOf('=');
      if (equals > 0) {
        names.add(PartitionEscapes.unescape(segment.substring(0, equals)));
        values.add(segment.substring(equals + 1));
      } else if (names.isEmpty()) {
        place = place.isEmpty() ? segment : place + "/" + segment;
      }
    }
    return new PartitionFolder(partition, place, names, values);
  }

  /** The columns of this folder, with the types of its values. */
  List<Column> columns() {
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      columns.add(new Column(names.get(i), PartitionType.of(values.get(i)).name()));
    }
    return columns;
  }

  /** The same columns, in types that hold the values of this folder too. */
  List<Column> widen(List<Column> columns) throws InvalidRecordException {
    if (!names.equals(columns.stream().map(Column::name).toList())) {
      throw DeltaLogErrors.otherPartitionColumns(
          partition, columns.stream().map(Column::name).toList());
    }
    List<Column> wide = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      PartitionType type = new PartitionType(columns.get(i).type());
      wide.add(
          new Column(columns.get(i).name(), type.wider(PartitionType.of(values.get(i))).name()));
    }
    return wide;
  }

  /**
   * The values by column, for columns that hold them; null for the default partition. Refused when
   * they do not, because the record of the columns does not fit the files.
   */
  Map<String, String> valuesOf(List<Column> columns) throws InvalidRecordException {
    if (!widen(columns).equals(columns)) {
      throw DeltaLogErrors.otherPartitionColumns(
          partition, columns.stream().map(Column::name).toList());
    }
    Map<String, String> typed = new LinkedHashMap<>();
    for (int i = 0; i < names.size(); i++) {
      String value = values.get(i);
      PartitionType type = new PartitionType(columns.get(i).type());
      typed.put(names.get(i), value.equals(PartitionEscapes.NULL) ? null : type.value(value));
    }
    return typed;
  }
}
