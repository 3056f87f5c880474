package io.repave.core.follow;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.ColumnBounds;
import io.repave.core.ledger.FileFacts;
import io.repave.core.record.FollowerState;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The statistics of files, as a Delta log states them. Its readers skip files by them, and
 * delta-spark answers {@code min} and {@code max} from them. So a value that readers may round or
 * parse in different ways is left out.
 */
final class FileStatistics {
  private static final JsonFactory JSON = new JsonFactory();

  /** The types of the table's columns by name, without partition columns. */
  private final Map<String, String> types;

  private final List<String> bounded;

  private FileStatistics(Map<String, String> types, List<String> bounded) {
    this.types = types;
    this.bounded = bounded;
  }

  /** Statistics of files in a table with these columns. */
  static FileStatistics of(FollowerState state) throws InvalidRecordException {
    Map<String, String> types = types(FileSchema.read(state.schema()), state.partitionColumns());
    return new FileStatistics(types, state.bounded());
  }

  /** The types of the columns that files may have bounds of, by name. */
  static Map<String, String> types(FileSchema schema, List<FollowerState.Column> partitions) {
    Map<String, String> types = schema.plainTypes();
    partitions.forEach(column -> types.remove(column.name()));
    return types;
  }

  /** The JSON of the statistics of a file; empty if nothing is known of it. */
  Optional<String> json(FileFacts facts) {
    // Bounds of another type mean something else: the file is from before or after a change.
    List<ColumnBounds> columns =
        facts.columns().stream().filter(it -> it.type().equals(types.get(it.column()))).toList();
    if (facts.rows().isEmpty() && columns.isEmpty()) {
      return Optional.empty();
    }
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.writeStartObject();
      if (facts.rows().isPresent()) {
        json.writeNumberField("numRecords", facts.rows().getAsLong());
      }
      if (BoundedColumns.areWhole(bounded, columns, facts.rows())) {
        values(json, "minValues", columns, DeltaBound::low);
        values(json, "maxValues", columns, DeltaBound::high);
      }
      values(json, "nullCount", columns, it -> nulls(it, facts));
      json.writeEndObject();
    } catch (IOException e) {
      throw new IllegalStateException("memory cannot be written", e);
    }
    return Optional.of(text.toString());
  }

  private static Optional<DeltaBound> nulls(ColumnBounds column, FileFacts facts) {
    return column.nulls().isPresent() && column.nulls().getAsLong() <= facts.rows().orElse(-1)
        ? Optional.of(DeltaBound.number(Long.toString(column.nulls().getAsLong())))
        : Optional.empty();
  }

  /** One value for each column that has one. */
  private static void values(
      JsonGenerator json,
      String name,
      List<ColumnBounds> columns,
      Function<ColumnBounds, Optional<DeltaBound>> value)
      throws IOException {
    boolean begun = false;
    for (ColumnBounds column : columns) {
      Optional<DeltaBound> found = value.apply(column);
      if (found.isPresent()) {
        if (!begun) {
          json.writeObjectFieldStart(name);
          begun = true;
        }
        json.writeFieldName(column.column());
        found.get().write(json);
      }
    }
    if (begun) {
      json.writeEndObject();
    }
  }
}
