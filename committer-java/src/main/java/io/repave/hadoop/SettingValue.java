package io.repave.hadoop;

import io.repave.core.error.InvalidConfigException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A setting and its text, and the text's meaning. */
record SettingValue(Setting setting, String text) {
  private static final Pattern SIZE = Pattern.compile("(\\d+)\\s*([kmgt]?)(?:i?b)?");
  private static final Pattern DURATION = Pattern.compile("(\\d+)\\s*(ms|s|m|h|d)");
  private static final int DECIMALS_MAX = 9;
  private static final Pattern FRACTION = Pattern.compile("\\d{1,9}(?:\\.\\d{1,9})?");
  private static final Map<String, Long> MILLIS =
      Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

  /** Parses the text as a number. */
  @FunctionalInterface
  private interface Reading {
    long of(SettingValue value) throws InvalidConfigException;
  }

  long bytes() throws InvalidConfigException {
    return withinRange(SettingValue::anyBytes);
  }

  long millis() throws InvalidConfigException {
    return withinRange(SettingValue::anyMillis);
  }

  int count() throws InvalidConfigException {
    return (int) withinRange(SettingValue::anyCount);
  }

  private long withinRange(Reading reading) throws InvalidConfigException {
    long value = reading.of(this);
    Setting.Range range = setting.range();
    String least = range.least();
    String most = range.most();
    if (!least.isEmpty() && value < reading.of(new SettingValue(setting, least))
        || !most.isEmpty() && value > reading.of(new SettingValue(setting, most))) {
      throw SettingErrors.outOfRange(setting, text);
    }
    return value;
  }

  private long anyBytes() throws InvalidConfigException {
    Matcher size = match(SIZE);
    int power = " kmgt".indexOf(size.group(2).isEmpty() ? " " : size.group(2));
    return product(size.group(1), 1L << (10 * power));
  }

  private long anyMillis() throws InvalidConfigException {
    Matcher duration = match(DURATION);
    return product(duration.group(1), MILLIS.get(duration.group(2)));
  }

  private long anyCount() throws InvalidConfigException {
    return Long.parseLong(match(Pattern.compile("(\\d{1,9})")).group(1));
  }

  /** A number with at most 9 decimals. */
  BigDecimal fraction() throws InvalidConfigException {
    withinRange(SettingValue::anyFraction);
    return new BigDecimal(lower());
  }

  private long anyFraction() throws InvalidConfigException {
    BigDecimal number = new BigDecimal(match(FRACTION).group());
    return number.movePointRight(DECIMALS_MAX).longValueExact();
  }

  boolean isOn() throws InvalidConfigException {
    return switch (lower()) {
      case "true" -> true;
      case "false" -> false;
      default -> throw SettingErrors.wrongForm(setting, text);
    };
  }

  String choice() throws InvalidConfigException {
    if (!setting.choices().contains(lower())) {
      throw SettingErrors.wrongForm(setting, text);
    }
    return lower();
  }

  List<String> list() {
    return Arrays.stream(text.split(",")).map(String::trim).filter(s -> !s.isEmpty()).toList();
  }

  private Matcher match(Pattern form) throws InvalidConfigException {
    Matcher match = form.matcher(lower());
    if (!match.matches()) {
      throw SettingErrors.wrongForm(setting, text);
    }
    return match;
  }

  private long product(String digits, long unit) throws InvalidConfigException {
    BigInteger product = new BigInteger(digits).multiply(BigInteger.valueOf(unit));
    if (product.bitLength() > 62) {
      throw SettingErrors.wrongForm(setting, text);
    }
    return product.longValue();
  }

  private String lower() {
    return text.trim().toLowerCase(Locale.ROOT);
  }
}
