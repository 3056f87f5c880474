package io.repave.core.record;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How Spark and Hive write names and values in the names of partition folders: {@code %3D}. */
public final class PartitionEscapes {
  /** The name of the value in the folder of nulls, which is not escaped. */
  public static final String NULL = "__HIVE_DEFAULT_PARTITION__";

  /** The characters that are escaped, next to control characters. */
  private static final String ESCAPED = "\"#%'*/:=?\\\u007F{[]^";

  private static final Pattern ESCAPE = Pattern.compile("%([0-9A-Fa-f]{2})");

  private PartitionEscapes() {}

  /** The text with its escapes; each character is written as one escape. */
  public static String escape(String plain) {
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

  /** The text that an escaped one stands for; each escape is one character, as in Spark. */
  public static String unescape(String escaped) {
    Matcher escapes = ESCAPE.matcher(escaped);
    return escapes.replaceAll(
        it -> Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(it.group(1), 16))));
  }

  /** The escaped values in the names of a path's folders, by their columns in lower case. */
  public static Map<String, String> values(String path) {
    Map<String, String> values = new HashMap<>();
    for (String folder : path.split("/")) {
      int equals = folder.indexOf('=');
      if (equals > 0) {
        String column = unescape(folder.substring(0, equals));
        values.put(column.toLowerCase(Locale.ROOT), folder.substring(equals + 1));
      }
    }
    return values;
  }
}
