package io.repave.spark.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.repave.core.error.InvalidConfigException;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the words of a command do. Python sends those of {@code contract/commands.json}. */
class TableCommandTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ArrayNode calls = JSON.createArrayNode();

  private static List<JsonNode> commands() throws IOException {
    Path root = Path.of(System.getProperty("repave.basedir", "."), "..");
    JsonNode commands = JSON.readTree(root.resolve("contract/commands.json").toFile());
    return StreamSupport.stream(commands.spliterator(), false).toList();
  }

  private static List<String> words(JsonNode command) {
    return StreamSupport.stream(command.required("words").spliterator(), false)
        .map(JsonNode::asText)
        .toList();
  }

  /** Notes the calls on a table with its path. */
  private TableCalls recorder(String path) {
    InvocationHandler notes =
        (proxy, method, arguments) -> {
          List<Object> call = new ArrayList<>(List.of(path, method.getName()));
          call.addAll(arguments == null ? List.of() : Arrays.asList(arguments));
          calls.add(JSON.valueToTree(call));
          return "{}";
        };
    Class<?>[] type = {TableCalls.class};
    return (TableCalls) Proxy.newProxyInstance(type[0].getClassLoader(), type, notes);
  }

  @ParameterizedTest
  @MethodSource("commands")
  void aCommandCallsItsTable(JsonNode command) throws Exception {
    TableCommand.answer(words(command), this::recorder);
    // As text: a number is an int in one and a long in the other.
    assertThat(calls).hasToString(command.required("calls").toString());
  }

  @Test
  void everyCallIsThatOfACommand() throws Exception {
    Set<String> called = new TreeSet<>();
    commands()
        .forEach(it -> it.required("calls").forEach(call -> called.add(call.path(1).asText())));
    assertThat(TableCalls.class.getDeclaredMethods())
        .allSatisfy(method -> assertThat(called).contains(method.getName()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"rollback s3a://lake/sales", "rollback s3a://lake/sales last"})
  void aVersionIsANumber(String line) {
    assertThatThrownBy(() -> TableCommand.answer(List.of(line.split(" ")), this::recorder))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("is not a version");
    assertThat(calls).isEmpty();
  }

  @Test
  void anUnknownCommandIsRefused() {
    List<String> words = List.of("compact", "s3a://lake/sales");
    assertThatThrownBy(() -> TableCommand.answer(words, this::recorder))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("There is no command compact");
  }
}
