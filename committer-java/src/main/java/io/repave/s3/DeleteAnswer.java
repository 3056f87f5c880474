package io.repave.s3;

import io.repave.core.store.DeleteFailure;
import io.repave.core.store.Location;
import java.util.List;

/** What a bulk delete's answer says of each key. */
final class DeleteAnswer {
  /** One key that the store names as not deleted. */
  record Refused(String key, String code, String message) {}

  private DeleteAnswer() {}

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
