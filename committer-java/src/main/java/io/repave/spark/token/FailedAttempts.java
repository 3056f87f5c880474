package io.repave.spark.token;

import io.repave.core.store.Location;
import io.repave.spark.write.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The commits by which programs of this JVM tried to make a write with a token, and failed. Such a
 * commit may be decided nevertheless. A program that tries the write again names these commits, so
 * that the engine treats them, and no other commit of the program, as the same write.
 */
final class FailedAttempts {
  static final FailedAttempts JVM = new FailedAttempts(100);

  /** The writes of an application with one token. */
  record Writes(String application, Location table, String token) {}

  private record Attempt(Writes writes, Statement write, String commit) {}

  private final int most;
  private final Deque<Attempt> attempts = new ArrayDeque<>();

  /** Remembers {@code most} commits; a write whose commits are forgotten is refused. */
  FailedAttempts(int most) {
    this.most = most;
  }

  /** The ids of the commits that tried the same write. */
  synchronized List<String> of(Writes writes, Statement write) {
    return attempts.stream()
        .filter(it -> it.writes().equals(writes) && it.write().isSameAs(write))
        .map(Attempt::commit)
        .toList();
  }

  /** Tells this, and another one, how the commit of a write ends. */
  WriteToken.Use use(Writes writes, Statement write, String commit, WriteToken.Use other) {
    return new WriteToken.Use() {
      private List<Attempt> before = List.of();

      @Override
      public void committed() {
        before = FailedAttempts.this.committed(writes);
        other.committed();
      }

      @Override
      public void failed() {
        // The commit may have repeated one of the earlier ones, which a further try has to name.
        before.forEach(FailedAttempts.this::failed);
        FailedAttempts.this.failed(new Attempt(writes, write, commit));
        other.failed();
      }
    };
  }

  private synchronized List<Attempt> committed(Writes writes) {
    List<Attempt> ended = attempts.stream().filter(it -> it.writes().equals(writes)).toList();
    attempts.removeAll(ended);
    return ended;
  }

  private synchronized void failed(Attempt attempt) {
    attempts.add(attempt);
    if (attempts.size() > most) {
      attempts.remove();
    }
  }
}
