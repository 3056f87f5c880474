package io.repave.spark.token;

import io.repave.core.error.InvalidConfigException;
import io.repave.hadoop.OptionBlock;
import io.repave.hadoop.RepaveSettings;
import io.repave.hadoop.Setting;
import io.repave.hadoop.TableAccess;
import io.repave.spark.write.GivenOptions;
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

    void committed();

    /** The write may be tried again. Called after the commit too, if the statement fails then. */
    void failed();
  }

  private static final List<String> OF_A_SESSION =
      List.of("repave.token", "spark.repave.token", "spark.hadoop.repave.token");

  /** {@code options} are those that the program gives, {@code commit} is the write's id. */
  public static WriteToken of(
      TableAccess access, WritePlan write, GivenOptions options, String commit)
      throws InvalidConfigException, InterruptedException {
    write.requireNoStoredToken();
    for (Setting name : List.of(Setting.TOKEN, Setting.RUN)) {
      // A user empties one that saveAsTable stored in the catalog.
      if (!isFromCatalog(write, options, name)) {
        access.settings().requireNoEmptyName(name);
      }
    }
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
    if (!own.isEmpty()) {
      write.requireOneWrite(access);
      Statement statement = write.statement();
      WritingStatement around = WritingStatement.of(session, access.root());
      Optional<OptionBlock> block = options.tokenGiver();
      Use use =
          block.isEmpty() ? Use.NONE : BlockToken.of(block.get()).begin(access.root(), statement);
      FailedAttempts.Writes writes = new FailedAttempts.Writes(application, access.root(), own);
      return new WriteToken(
          own,
          application,
          application,
          FailedAttempts.JVM.of(writes, statement),
          around.use(FailedAttempts.JVM.use(writes, statement, commit, use)));
    }
    String run = run(access, write, options, session);
    // A streaming query numbers its batches, and knows which ones it repeats.
    if (run.isEmpty() || batch) {
      return new WriteToken("", application, application, List.of(), Use.NONE);
    }
    write.requireCountable(access);
    if (session.isDefined() && StreamingQueries.areRunning(session.get())) {
      throw WriteTokenErrors.besideStreamInRun(access.root(), run);
    }
    WritingStatement around = WritingStatement.of(session, access.root());
    RunTokens.Writes writes = new RunTokens.Writes(application, run, access.root());
    RunTokens.Begun begun = RunTokens.JVM.begin(writes, write.statement());
    return new WriteToken(begun.token(), "", application, List.of(), around.use(begun));
  }

  public void committed() {
    use.committed();
  }

  public void failed() {
    use.failed();
  }

  /** The name of the run: that of this write or of the session, never one of the catalog. */
  private static String run(
      TableAccess access, WritePlan write, GivenOptions options, Option<SparkSession> session)
      throws InvalidConfigException {
    if (!isFromCatalog(write, options, Setting.RUN)) {
      return access.settings().text(Setting.RUN);
    }
    String ofSession = "";
    if (session.isDefined()) {
      RepaveSettings settings = new RepaveSettings(session.get().sessionState().newHadoopConf());
      settings.requireNoEmptyName(Setting.RUN);
      ofSession = settings.text(Setting.RUN);
    }
    if (ofSession.isEmpty()) {
      write.requireNoStoredRun();
    }
    return ofSession;
  }

  private static boolean isFromCatalog(WritePlan write, GivenOptions options, Setting setting) {
    return write.storedFor(setting).isPresent() && !options.give(write, setting);
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
