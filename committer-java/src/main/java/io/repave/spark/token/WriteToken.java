package io.repave.spark.token;

import io.repave.core.error.InvalidConfigException;
import io.repave.hadoop.OptionBlock;
import io.repave.hadoop.Setting;
import io.repave.hadoop.TableAccess;
import io.repave.spark.write.Statement;
import io.repave.spark.write.WritePlan;
import java.util.List;
import java.util.Optional;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;
import scala.Option;

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

    public void committed();

    /** The write may be tried again. */
    void failed();
  }

  private static final List<String> OF_A_SESSION =
      List.of("repave.token", "spark.repave.token", "spark.hadoop.repave.token");

  /** {@code block} is the block of options that gives the token, {@code commit} the write's id. */
  public static WriteToken of(
      TableAccess access, WritePlan write, Optional<OptionBlock> block, String commit)
      throws InvalidConfigException {
    write.requireNoStoredToken();
    Option<SparkSession> session = SparkSession.getActiveSession();
    String application = "";
    boolean batch = false;
    if (session.isDefined()) {
      refuseIn(session.get());
      SparkContext context = session.get().sparkContext();
      batch = RunningProgram.isBatch(context);
      application = RunningProgram.name(context);
    }
    String own = access.settings().text(Setting.TOKEN);
    String run = access.settings().text(Setting.RUN);
    if (!own.isEmpty()) {
      write.requireOneWrite(access);
      Statement statement = write.statement();
      Use use =
          block.isEmpty() ? Use.NONE : BlockToken.of(block.get()).begin(access.root(), statement);
      FailedAttempts.Writes writes = new FailedAttempts.Writes(application, access.root(), own);
      return new WriteToken(
          own,
          application,
          application,
          FailedAttempts.JVM.of(writes, statement),
          FailedAttempts.JVM.use(writes, statement, commit, use));
    }
    // A streaming query numbers its batches, and knows which ones it repeats.
    if (run.isEmpty() || batch) {
      return new WriteToken("", application, application, List.of(), Use.NONE);
    }
    write.requireCountable(access);
    if (session.isDefined() && StreamingQueries.areRunning(session.get())) {
      throw WriteTokenErrors.besideStreamInRun(access.root(), run);
    }
    RunTokens.Writes writes = new RunTokens.Writes(application, run, access.root());
    String text = RunTokens.JVM.begin(writes, write.statement());
    return new WriteToken(text, "", application, List.of(), RunTokens.JVM.use(writes));
  }

  public void committed() {
    use.committed();
  }

  public void failed() {
    use.failed();
  }

  private static void refuseIn(SparkSession session) throws InvalidConfigException {
    for (String key : OF_A_SESSION) {
      Option<String> value = session.conf().getOption(key);
      if (value.isDefined() && !value.get().isEmpty()) {
        throw WriteTokenErrors.tokenOfSession(key);
      }
    }
  }
}
