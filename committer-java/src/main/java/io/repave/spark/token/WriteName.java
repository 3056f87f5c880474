package io.repave.spark.token;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.hadoop.OptionBlock;
import io.repave.hadoop.RepaveSettings;
import io.repave.hadoop.Setting;
import io.repave.hadoop.TableAccess;
import io.repave.spark.write.GivenOptions;
import io.repave.spark.write.WritePlan;
import java.util.List;
import java.util.Optional;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;
import scala.Option;

/**
 * By what a write is known when it is tried again: a token of its own or of the block around it, or
 * its number in a run.
 *
 * @param token empty if the write has none
 * @param giver the block that gives the token
 * @param application what does not repeat a write by itself; empty outside of Spark's sessions
 * @param runName empty if the write is not part of a run
 */
record WriteName(
    Location table,
    Option<SparkSession> session,
    String application,
    String token,
    Optional<OptionBlock> giver,
    String runName) {
  private static final List<String> OF_A_SESSION =
      List.of("repave.token", "spark.repave.token", "spark.hadoop.repave.token");

  static WriteName of(TableAccess access, WritePlan write, GivenOptions options)
      throws InvalidConfigException {
    write.requireNotStored(Setting.TOKEN);
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
    String token = access.settings().text(Setting.TOKEN);
    // A streaming query numbers its batches, and knows which ones it repeats.
    String run = token.isEmpty() && !batch ? run(access, write, options, session) : "";
    return new WriteName(access.root(), session, application, token, options.tokenGiver(), run);
  }

  /** The block that keeps account of this write. */
  Optional<BlockToken> block() {
    return token.isEmpty() ? Optional.empty() : giver.map(BlockToken::of);
  }

  /** The writes with which this one is numbered. */
  Optional<RunTokens.Writes> run() {
    return runName.isEmpty()
        ? Optional.empty()
        : Optional.of(new RunTokens.Writes(application, runName, table));
  }

  /** Notes that Spark is going to make this write. */
  void plan(WritePlan write) throws InvalidConfigException {
    if (block().isPresent()) {
      block().get().plan(table, write.execution(), write.statement());
    }
    if (run().isPresent()) {
      // Such a write is refused, and has no number in a repeated run either.
      requireNoStream();
      RunTokens.JVM.plan(run().get(), write.execution(), write.statement());
    }
  }

  /** Refuses a write of a run that a batch of a stream may have made. */
  void requireNoStream() throws InvalidConfigException {
    if (session.isDefined() && StreamingQueries.areRunning(session.get())) {
      throw WriteTokenErrors.besideStreamInRun(table, runName);
    }
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
      write.requireNotStored(Setting.RUN);
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
