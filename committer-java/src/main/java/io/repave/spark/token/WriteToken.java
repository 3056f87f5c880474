package io.repave.spark.token;

import io.repave.core.error.InvalidConfigException;
import io.repave.hadoop.TableAccess;
import io.repave.spark.write.GivenOptions;
import io.repave.spark.write.Statement;
import io.repave.spark.write.WritePlan;
import java.util.List;
import java.util.Optional;

/**
 * The token of a write, which makes retries idempotent; "" for a write without one. {@code
 * application} names what does not repeat a write by itself; "" if there is no such thing. {@code
 * program} is the same, but known in a run too, whose writes have no application. {@code attempts}
 * are the commits by which it tried this write before. {@code use} is told how the write ends.
 */
public record WriteToken(
    String text, String application, String program, List<String> attempts, Use use) {
  /** What keeps account of the writes with a token, until they end. */
  interface Use {
    Use NONE =
        new Use() {
          @Override
          public void committed() {}

          @Override
          public void failed() {}
        };

    void committed();

    /** The write may be tried again. Called after the commit too, if the statement fails then. */
    void failed();
  }

  /** {@code options} are those that the program gives, {@code commit} is the write's id. */
  public static WriteToken of(
      TableAccess access, WritePlan write, GivenOptions options, String commit)
      throws InvalidConfigException, InterruptedException {
    WriteName name = WriteName.of(access, write, options);
    String application = name.application();
    if (!name.token().isEmpty()) {
      write.requireOneWrite(access);
      Statement statement = write.statement();
      WritingStatement around = WritingStatement.of(name.session(), access.root());
      Optional<BlockToken> block = name.block();
      Use use =
          block.isEmpty()
              ? Use.NONE
              : block.get().begin(access.root(), write.execution(), statement);
      FailedAttempts.Writes writes =
          new FailedAttempts.Writes(application, access.root(), name.token());
      return new WriteToken(
          name.token(),
          application,
          application,
          FailedAttempts.JVM.of(writes, statement),
          around.use(FailedAttempts.JVM.use(writes, statement, commit, use)));
    }
    Optional<RunTokens.Writes> run = name.run();
    if (run.isEmpty()) {
      return new WriteToken("", application, application, List.of(), Use.NONE);
    }
    write.requireCountable(access);
    name.requireNoStream();
    WritingStatement around = WritingStatement.of(name.session(), access.root());
    RunTokens.Begun begun = RunTokens.JVM.begin(run.get(), write.execution(), write.statement());
    return new WriteToken(begun.token(), "", application, List.of(), around.use(begun));
  }

  public void committed() {
    use.committed();
  }

  public void failed() {
    use.failed();
  }
}
