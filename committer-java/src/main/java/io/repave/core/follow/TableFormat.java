package io.repave.core.follow;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.repave.core.record.FollowerKind;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The table formats that keep their metadata in the table's folder. Python has the same list:
 * {@code scripts/generate.py} writes it to {@code python/repave/_table_formats.py}.
 */
public enum TableFormat {
  DELTA("Delta", FollowerKind.DELTA.folder(), "[0-9]{20}\\.json"),
  // Manifests too: a page of them may sort before the first v1.metadata.json.
  ICEBERG(
      "Iceberg",
      "metadata",
      ".*\\.metadata\\.json|snap-[0-9]+-[0-9]+-.*\\.avro|[0-9A-Fa-f]{8}-.*-m[0-9]+\\.avro"),
  // A last slash is that of an empty folder.
  HUDI("Hudi", ".hoodie", "(?s).*[^/]");

  private final String label;
  private final String folder;

  /** Matches names relative to the folder, since others may have a folder of that name. */
  private final Pattern metadata;

  TableFormat(String label, String folder, String metadata) {
    this.label = label;
    this.folder = folder;
    this.metadata = Pattern.compile(metadata);
  }

  String label() {
    return label;
  }

  String folder() {
    return folder;
  }

  boolean isMetadata(String name) {
    return metadata.matcher(name).matches();
  }

  public static void main(String[] arguments) throws JsonProcessingException {
    List<List<String>> all =
        Arrays.stream(values())
            .map(it -> List.of(it.label, it.folder, it.metadata.pattern()))
            .toList();
    System.out.println(new ObjectMapper().writeValueAsString(all));
  }
}
