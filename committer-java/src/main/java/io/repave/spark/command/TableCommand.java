package io.repave.spark.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.error.InvalidConfigException;
import io.repave.hadoop.RepaveSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/**
 * The main class for commands that change a table. The command line runs it by {@code
 * spark-submit}, without a Spark session: {@code TableCommand <answer file> <command> <path>
 * [argument…]}. The answer, or the error, is a JSON document. It reports its progress on standard
 * error, see {@link ProgressLines}. Most commands that only read are Python.
 */
public final class TableCommand {
  private static final String HADOOP = "spark.hadoop.";
  private static final long CONFIGURED_RETENTION = -1;

  private TableCommand() {}

  public static void main(String[] words) throws IOException {
    String answer;
    int code = 0;
    try {
      answer = run(List.of(words).subList(1, words.length));
    } catch (InvalidConfigException e) {
      answer = error(e);
      code = 2;
    } catch (CommitStateUnknownException e) {
      answer = error(e);
      code = 3;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      answer = error(e);
      code = 1;
    } catch (IOException | RuntimeException e) {
      answer = error(e);
      code = 1;
    }
    Files.writeString(Path.of(words[0]), answer);
    if (code != 0) {
      // Otherwise threads of the connector would keep the JVM alive.
      System.exit(code);
    }
  }

  static String run(List<String> words) throws IOException, InterruptedException {
    if (words.size() < 2) {
      throw CommandErrors.noPath();
    }
    ProgressLines progress = new ProgressLines(System.err, System::nanoTime);
    Configuration conf = configuration();
    new RepaveSettings(conf).check();
    ConnectivityCheck.run(conf, words.get(1), ConnectivityCheck.BUDGET_MILLIS);
    return answer(words, path -> TableGateway.open(conf, path, progress));
  }

  /** Runs a command of {@code contract/commands.json}. */
  static String answer(List<String> words, TableCalls.Opener tables)
      throws IOException, InterruptedException {
    String command = words.get(0);
    if (command.equals("recover-all")) {
      return FleetRecovery.run(words.subList(1, words.size()), tables);
    }
    TableCalls table = tables.open(words.get(1));
    List<String> rest = new ArrayList<>(words.subList(2, words.size()));
    boolean dryRun = rest.remove("--dry-run");
    return switch (command) {
      case "status" -> table.status();
      case "recover" -> table.recover();
      case "vacuum" -> table.vacuum(dryRun, CONFIGURED_RETENTION);
      case "rollback" -> table.rollback(number(word(rest, 0)));
      case "drop-partitions" ->
          word(rest, 0).equals("before")
              ? table.dropPartitionsBefore(dryRun, word(rest, 1), word(rest, 2))
              : table.dropPartitions(dryRun, String.join("\n", rest));
      case "adopt" -> table.adopt(dryRun);
      case "follow" ->
          rest.size() < 2 ? table.follow(word(rest, 0)) : table.follow(rest.get(0), rest.get(1));
      case "refollow" -> table.refollow(word(rest, 0), word(rest, 1));
      case "unfollow" -> table.unfollow(word(rest, 0));
      case "sync" -> table.sync();
      case "locations" -> table.locations(word(rest, 0), word(rest, 1));
      case "moved" ->
          table.moved(word(rest, 0), word(rest, 1), word(rest, 2), number(word(rest, 3)));
      case "repair" -> table.repair();
      case "cancel" -> table.cancel(word(rest, 0));
      default -> throw CommandErrors.unknown(command);
    };
  }

  /** Spark's launcher puts its conf into the system properties. */
  private static Configuration configuration() {
    Configuration conf = new Configuration();
    for (Map.Entry<Object, Object> property : System.getProperties().entrySet()) {
      String key = property.getKey().toString();
      if (key.startsWith(HADOOP)) {
        conf.set(key.substring(HADOOP.length()), property.getValue().toString());
      } else if (key.startsWith("spark.repave.")) {
        conf.set(key, property.getValue().toString());
      }
    }
    return conf;
  }

  private static String word(List<String> words, int at) {
    return at < words.size() ? words.get(at) : "";
  }

  private static long number(String text) throws InvalidConfigException {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw CommandErrors.notAVersion(text);
    }
  }

  private static String error(Exception failure) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("error", failure.getClass().getSimpleName())
        .put("message", String.valueOf(failure.getMessage()))
        .toString();
  }
}
