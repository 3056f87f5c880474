package io.repave.core.record;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What does not repeat a write by itself, as a ledger names it: a program, or one execution of a
 * batch of a stream. {@code query}, {@code batch} and {@code execution} are "" for a write outside
 * of a stream.
 */
public record Application(String program, String query, String batch, String execution) {
  private static final Pattern OF_A_BATCH =
      Pattern.compile("(.*) query (\\S+) batch (\\S+) execution (\\S+)", Pattern.DOTALL);

  public static Application parse(String text) {
    Matcher found = OF_A_BATCH.matcher(text);
    return found.matches()
        ? new Application(found.group(1), found.group(2), found.group(3), found.group(4))
        : new Application(text, "", "", "");
  }

  /** The form that {@link #parse} reads. */
  public String text() {
    return isOfStream()
        ? program + " query " + query + " batch " + batch + " execution " + execution
        : program;
  }

  public boolean isOfStream() {
    return !query.isEmpty();
  }

  /**
   * True if a write of this application may be the one that {@code earlier} made. A stream repeats
   * a batch in another execution, and a program is repeated as another application.
   */
  public boolean mayRepeat(Application earlier) {
    if (isOfStream() && earlier.isOfStream()) {
      return isSameBatch(earlier) && !equals(earlier);
    }
    return !program.equals(earlier.program);
  }

  public boolean isSameBatch(Application other) {
    return query.equals(other.query) && batch.equals(other.batch);
  }

  /** As a message names it. */
  public String describe() {
    return isOfStream() ? "batch " + batch + " of the streaming query " + query : program;
  }
}
