package io.repave.core.engine;

import java.util.List;

/**
 * The earlier writes that a job with a token may repeat, although they look like other ones.
 *
 * @param attempts the ids of earlier commits by which the job's application tried to make this
 *     write, and of which it was not told that they were published
 * @param creation whether this append overwrites the whole table when the table is absent, as
 *     Spark's {@code saveAsTable} does: a repetition finds the table that the first try created
 */
public record Repeats(List<String> attempts, boolean creation) {
  public static final Repeats NONE = new Repeats(List.of(), false);

  public Repeats {
    attempts = List.copyOf(attempts);
  }

  Repeats after(List<String> earlier) {
    return new Repeats(earlier, creation);
  }

  Repeats ofCreation() {
    return new Repeats(attempts, true);
  }
}
