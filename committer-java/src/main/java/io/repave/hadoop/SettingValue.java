package io.repave.hadoop;

import io.repave.core.error.InvalidConfig;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The text of a setting, and what it means. */
record SettingValue(Setting setting, String text) {
  private static final Pattern SIZE = Pattern.compile("(\\d+)\\s*([kmgt]?)(?:i?b)?");
  private static final Pattern DURATION = Pattern.compile("(\\d+)\\s*(ms|s|m|h|d)");
  private static final Map<String, Long> MILLIS =
      Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

  long bytes() throws InvalidConfig {
    Matcher size = match(SIZE);
    int power = " kmgt".indexOf(size.group(2).isEmpty() ? " " : size.group(2));
    return product(size.group(1), 1L << (10 * power));
  }

  long millis() throws InvalidConfig {
    Matcher duration = match(DURATION);
    return product(duration.group(1), MILLIS.get(duration.group(2)));
  }

  int count() throws InvalidConfig {
    Matcher digits = match(Pattern.compile("(\\d{1,9})"));
    int count = Integer.parseInt(digits.group(1));
    if (count < 1) {
      throw wrong();
    }
    return count;
  }

  boolean isOn() throws InvalidConfig {
    return switch (lower()) {
      case "true" -> true;
      case "false" -> false;
      default -> throw wrong();
    };
  }

  String choice() throws InvalidConfig {
    if (!setting.choices().contains(lower())) {
      throw wrong();
    }
    return lower();
  }

  List<String> list() {
    return Arrays.stream(text.split(",")).map(String::trim).filter(s -> !s.isEmpty()).toList();
  }

  private Matcher match(Pattern form) throws InvalidConfig {
    Matcher match = form.matcher(lower());
    if (!match.matches()) {
      throw wrong();
    }
    return match;
  }

  private long product(String digits, long unit) throws InvalidConfig {
    BigInteger product = new BigInteger(digits).multiply(BigInteger.valueOf(unit));
    if (product.bitLength() > 62) {
      throw wrong();
    }
    return product.longValue();
  }

  private String lower() {
    return text.trim().toLowerCase(Locale.ROOT);
  }

  private InvalidConfig wrong() {
    String form =
        setting.kind() == Setting.Kind.CHOICE
            ? "one of " + String.join(", ", setting.choices())
            : setting.kind().form();
    return new InvalidConfig(
        setting.key()
            + " is '"
            + text
            + "', which is not "
            + form
            + ". Its default is '"
            + setting.fallback()
            + "'.");
  }
}
