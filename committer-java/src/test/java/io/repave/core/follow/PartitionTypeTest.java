package io.repave.core.follow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Java and Python type partition columns by one rule: {@code contract/partition-types.json}. */
class PartitionTypeTest {
  private static JsonNode contract() throws Exception {
    Path here = Path.of("").toAbsolutePath();
    Path root = Files.exists(here.resolve("contract")) ? here : here.getParent();
    return new ObjectMapper().readTree(root.resolve("contract/partition-types.json").toFile());
  }

  /** SQL has other names for two types. */
  private static String sql(PartitionType type) {
    return switch (type.name()) {
      case "integer" -> "int";
      case "long" -> "bigint";
      default -> type.name();
    };
  }

  @Test
  void aValueHasTheTypeThatTheContractSays() throws Exception {
    for (Map.Entry<String, JsonNode> value : contract().get("values").properties()) {
      assertThat(sql(PartitionType.of(value.getKey())))
          .as("'%s'", value.getKey())
          .isEqualTo(value.getValue().asText());
    }
  }

  @Test
  void aColumnHasTheTypeThatHoldsAllItsValues() throws Exception {
    for (JsonNode column : contract().get("columns")) {
      PartitionType type = PartitionType.NULL;
      for (JsonNode value : column.get("values")) {
        type = type.wider(PartitionType.of(value.asText()));
      }
      String name = type.columnType();
      assertThat(sql(new PartitionType(name)))
          .as(column.toString())
          .isEqualTo(column.get("type").asText());
    }
  }

  @Test
  void aValueIsWrittenAsReadersOfItsTypeParseIt() {
    assertThat(PartitionType.of("007").value("007")).isEqualTo("7");
    assertThat(PartitionType.of("1.5d").value("1.5d")).isEqualTo("1.5");
    assertThat(PartitionType.STRING.value("a%20b%3D%41é%")).isEqualTo("a b=Aé%");
    assertThat(PartitionType.of("1E3").value("1E3")).isEqualTo("1000");
  }
}
