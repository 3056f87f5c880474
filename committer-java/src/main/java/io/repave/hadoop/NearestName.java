package io.repave.hadoop;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the name that somebody probably meant. */
final class NearestName {
  private final Collection<String> known;

  NearestName(Collection<String> known) {
    this.known = known;
  }

  /** The known name with the fewest different letters, empty if none is near. */
  Optional<String> to(String name) {
    return known.stream()
        .min(Comparator.comparingInt(each -> distance(each, name)))
        .filter(each -> 3 * distance(each, name) <= name.length());
  }

  /** How many letters must be put in, taken out or replaced (Levenshtein). */
  private static int distance(String one, String other) {
    int[] row = new int[other.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[other.length()];
  }
}
