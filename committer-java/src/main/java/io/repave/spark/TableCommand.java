package io.repave.spark;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.error.InvalidConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/**
 * What the command line runs by {@code spark-submit}, without a Spark session: {@code TableCommand
 * <answer file> <command> <path> [argument…]}. The answer, or the error, is a JSON document. How
 * far it is stands on standard error, see {@link ProgressLines}.
 */
public final class TableCommand {
  private static final String HADOOP = "spark.hadoop.";

  private TableCommand() {}

  public static void main(String[] words) throws IOException {
    String answer;
    int code = 0;
    try {
      answer = run(List.of(words).subList(1, words.length));
    } catch (InvalidConfigException e) {
      answer = refusal(e);
      code = 2;
    } catch (CommitStateUnknownException e) {
      answer = refusal(e);
      code = 3;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      answer = refusal(e);
      code = 1;
    } catch (IOException | RuntimeException e) {
      answer = refusal(e);
      code = 1;
    }
    Files.writeString(Path.of(words[0]), answer);
    if (code != 0) {
      // Threads of the connector would otherwise keep a failed command alive.
      System.exit(code);
    }
  }

  static String run(List<String> words) throws IOException, InterruptedException {
    if (words.size() < 2) {
      throw new InvalidConfigException("A command takes a table's path.");
    }
    ProgressLines progress = new ProgressLines(System.err, System::nanoTime);
    Configuration conf = configuration();
    FirstContact.make(conf, words.get(1), FirstContact.PATIENCE_MILLIS);
    TableGateway table = TableGateway.open(conf, words.get(1), progress);
    List<String> rest = words.subList(2, words.size());
    return switch (words.get(0)) {
      case "status" -> table.status();
      case "history" -> table.history();
      case "manifest" -> table.manifest(rest.isEmpty() ? -1 : number(rest.get(0)));
      case "files" -> table.files(rest.isEmpty() ? -1 : number(rest.get(0)));
      case "recover" -> table.recover();
      case "recover-all" -> FleetRecovery.run(conf, words.subList(1, words.size()), progress);
      case "vacuum" -> table.vacuum(rest.contains("--dry-run"), -1);
      case "rollback" -> table.rollback(rest.isEmpty() ? -1 : number(rest.get(0)));
      case "adopt" -> table.adopt();
      case "repair" -> table.repair();
      case "cancel" -> table.cancel(rest.isEmpty() ? "" : rest.get(0));
      default -> throw new InvalidConfigException("There is no command " + words.get(0) + ".");
    };
  }

  /** Spark's launcher leaves its conf in the system properties. */
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

  private static long number(String text) throws InvalidConfigException {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new InvalidConfigException(text + " is no version: versions are numbers.");
    }
  }

  /** What documents call an error; Python knows its type by this name. */
  static String errorName(Exception failure) {
    return failure.getClass().getSimpleName().replaceFirst("Exception$", "");
  }

  private static String refusal(Exception failure) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("error", errorName(failure))
        .put("message", String.valueOf(failure.getMessage()))
        .toString();
  }
}
