package io.repave.s3;

/**
 * The way over pages of a listing that hold no key and are not the last. A versioned bucket answers
 * with one for every thousand delete markers in a row: those of partitions that are gone, say.
 */
final class EmptyPages {
  /** A hundred million delete markers in a row: no such listing, but a server that never ends. */
  private static final int MOST = 100_000;

  private String token = "";
  private int passed;

  /** The token of the next page: without a last key, only it leads on. */
  String next(String following) throws UnusableAnswer {
    UnusableAnswer.require(following, "a continuation token");
    passed++;
    if (following.equals(token) || passed > MOST) {
      throw new UnusableAnswer("any key on " + passed + " pages that were not the last");
    }
    token = following;
    return token;
  }
}
