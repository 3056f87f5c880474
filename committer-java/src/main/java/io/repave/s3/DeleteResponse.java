package io.repave.s3;

import io.repave.core.store.DeleteFailure;
import io.repave.core.store.Location;
import java.util.List;
import java.util.regex.Pattern;

/** The response to a bulk delete: how many keys were deleted, and which ones were refused. */
record DeleteResponse(int deleted, List<Refused> refused) {
  /** Characters that XML 1.0 cannot express, not even as a reference. */
  private static final Pattern NOT_IN_XML =
      Pattern.compile("[\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F\\uFFFE\\uFFFF]");

  /** One key that the store did not delete. */
  record Refused(String key, String code, String message) {}

  /** False for a key that must be deleted by its URL, which can express any character. */
  static boolean canName(String key) {
    return !NOT_IN_XML.matcher(key).find();
  }

  /**
   * The refused keys. The response must account for every requested key: with the quiet form, an
   * error with status 200 would look like "all deleted". Keys are counted, not compared, because
   * control characters in a key do not survive XML.
   */
  List<DeleteFailure> failures(String bucket, int requested) throws InvalidResponseException {
    int missing = requested - deleted - refused.size();
    if (missing > 0) {
      throw new InvalidResponseException("naming " + missing + " of the keys to delete");
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
