package io.repave.hadoop;

import io.repave.core.record.PartitionEscapes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Names of partition folders, as Spark and Hive build them: {@code dt=2026-11-20/h=3}. */
public final class PartitionName {
  private PartitionName() {}

  /**
   * The folder that a user means. Characters that Spark escapes may be written plain or escaped.
   * Empty when the text does not consist of {@code name=value} segments.
   */
  public static Optional<String> of(String text) {
    List<String> segments = new ArrayList<>();
    for (String segment : text.split("/", -1)) {
      int equals = segment.indexOf('=');
      if (equals < 1 || equals == segment.length() - 1) {
        return Optional.empty();
      }
      segments.add(
          canonical(segment.substring(0, equals)) + "=" + canonical(segment.substring(equals + 1)));
    }
    return Optional.of(String.join("/", segments));
  }

  private static String canonical(String text) {
    return PartitionEscapes.escape(PartitionEscapes.unescape(text));
  }
}
