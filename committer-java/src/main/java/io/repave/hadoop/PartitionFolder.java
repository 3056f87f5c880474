package io.repave.hadoop;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names of partition folders, as Spark and Hive build them: {@code dt=2026-11-20/h=3}. */
final class PartitionFolder {
  /** What Spark and Hive escape in names and values, next to control characters. */
  private static final String ESCAPED = "\"#%'*/:=?\\\u007F{[]^";

  private static final Pattern ESCAPE = Pattern.compile("%([0-9A-Fa-f]{2})");

  private PartitionFolder() {}

  /**
   * The folder that a user means. Characters that Spark escapes may be written plain or escaped.
   * Empty when the text does not consist of {@code name=value} segments.
   */
  static Optional<String> of(String text) {
    List<String> segments = new ArrayList<>();
    for (String segment : text.split("/", -1)) {
      int equals = segment.indexOf('=');
      if (equals < 1 || equals == segment.length() - 1) {
        return Optional.empty();
      }
      segments.add(
          escaped(segment.substring(0, equals)) + "=" + escaped(segment.substring(equals + 1)));
    }
    return Optional.of(String.join("/", segments));
  }

  private static String escaped(String text) {
    Matcher escapes = ESCAPE.matcher(text);
    String plain =
        escapes.replaceAll(
            match ->
                Matcher.quoteReplacement(Character.toString(Integer.parseInt(match.group(1), 16))));
    StringBuilder escaped = new StringBuilder();
    for (char each : plain.toCharArray()) {
      if (each < ' ' || ESCAPED.indexOf(each) >= 0) {
        escaped.append(String.format(Locale.ROOT, "%%%02X", (int) each));
      } else {
        escaped.append(each);
      }
    }
    return escaped.toString();
  }
}
