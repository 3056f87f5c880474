package io.repave.s3;

/**
 * Follows pages of a listing that have no key and are not the last. A versioned bucket sends one
 * for every thousand delete markers in a row, for example those of deleted partitions.
 */
final class EmptyPageLimit {
  /** A hundred million delete markers in a row: only a server that never ends would send more. */
  private static final int PAGES_MAX = 100_000;

  private String token = "";
  private int pages;

  /** The token of the next page. A page without a key continues by its token only. */
  String next(String following) throws InvalidResponseException {
    InvalidResponseException.require(following, "a continuation token");
    pages++;
    if (following.equals(token) || pages > PAGES_MAX) {
      throw new InvalidResponseException("any key on " + pages + " pages that were not the last");
    }
    token = following;
    return token;
  }
}
