package io.repave.hadoop;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the known name that a misspelt one probably means. */
final class NearestName {
  private final Collection<String> known;

  NearestName(Collection<String> known) {
    this.known = known;
  }

  /** The known name with the smallest edit distance; empty if none is close. */
  Optional<String> to(String name) {
    return known.stream()
        .min(Comparator.comparingInt(each -> distance(each, name)))
        .filter(each -> 3 * distance(each, name) <= name.length());
  }

  /** The number of letters to insert, delete or replace (Levenshtein distance). */
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
