package io.repave.core.record;

import java.util.Locale;

/** The names of enum constants in records, JSON and messages. */
public final class Labels {
  private Labels() {}

  /** For example {@code record-uploads}. */
  public static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
