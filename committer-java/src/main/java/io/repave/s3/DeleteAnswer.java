package io.repave.s3;

import io.repave.core.store.DeleteFailure;
import io.repave.core.store.Location;
import java.util.List;
import java.util.regex.Pattern;

/** Which keys a bulk delete can name, and what its answer says of each. */
final class DeleteAnswer {
  /** What XML 1.0 cannot write, not even as a reference. */
  private static final Pattern NOT_IN_XML =
      Pattern.compile("[\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F\\uFFFE\\uFFFF]");

  /** One key that the store names as not deleted. */
  record Refused(String key, String code, String message) {}

  private DeleteAnswer() {}

  /** False for a key that must go into a URL, which can hold any character. */
  static boolean canName(String key) {
    return !NOT_IN_XML.matcher(key).find();
  }

  /**
   * The answer must account for every key, so it is asked for in full: in the quiet form an error
   * inside a 200 would read as "all deleted". By number, since control characters in a key do not
   * survive XML.
   */
  static List<DeleteFailure> failures(
      String bucket, List<String> keys, int deleted, List<Refused> refused) throws UnusableAnswer {
    if (deleted + refused.size() < keys.size()) {
      throw new UnusableAnswer(
          "naming " + (keys.size() - deleted - refused.size()) + " of the keys to delete");
    }
    return refused.stream()
        .filter(each -> !"NoSuchKey".equals(each.code()))
        .map(
            each ->
                new DeleteFailure(
                    new Location(bucket, each.key()),
                    each.code() + ": " + Redaction.of(each.message())))
        .toList();
  }
}
