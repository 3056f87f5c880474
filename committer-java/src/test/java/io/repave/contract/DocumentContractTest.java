package io.repave.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.repave.OpenedTables;
import io.repave.PartitionFiles;
import io.repave.RepaveTable;
import io.repave.spark.command.TableGateway;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The documents that Java answers are those of {@code contract/documents}. */
class DocumentContractTest {

  static List<String> states() throws IOException {
    return Contract.states();
  }

  @ParameterizedTest
  @MethodSource("states")
  void everyAnswerFitsItsSchema(String state) throws Exception {
    GoldenTable table = GoldenTable.load(state);
    for (String question : Questions.about(table)) {
      JsonNode answer = Questions.answer(table, question);
      String name = answer.has("error") ? "error" : question.split("-")[0];
      assertThat(Schema.ofDocument(name).faults(answer)).as(question).isEmpty();
    }
  }

  @Test
  void theAnswerOfADropFitsItsSchema() throws Exception {
    GoldenTable table = GoldenTable.load("snapshot");
    RepaveTable opened = OpenedTables.over(table.paths.root().toString(), table.table());
    String partition =
        opened.files().partitions().stream()
            .map(PartitionFiles::partition)
            .filter(it -> it.contains("="))
            .findFirst()
            .orElseThrow();
    TableGateway gateway = TableGateway.of(opened);
    for (boolean dryRun : List.of(true, false)) {
      String answer = gateway.dropPartitions(dryRun, partition + "\ndt=none");
      JsonNode document = Contract.JSON.readTree(answer);
      assertThat(Schema.ofDocument("drop-partitions").faults(document)).isEmpty();
      assertThat(document.at("/commit").asText().isEmpty()).isEqualTo(dryRun);
      assertThat(document.at("/partitions").size()).isEqualTo(2);
    }
    assertThat(opened.files().partitions())
        .extracting(PartitionFiles::partition)
        .doesNotContain(partition);
  }

  @Test
  void theAnswerOfAnAdoptionFitsItsSchema() throws Exception {
    GoldenTable table = GoldenTable.load("listing");
    String root = table.paths.root().toString();
    TableGateway gateway = TableGateway.of(OpenedTables.over(root, table.table()));
    for (boolean dryRun : List.of(true, false)) {
      JsonNode document = Contract.JSON.readTree(gateway.adopt(dryRun));
      assertThat(Schema.ofDocument("adoption").faults(document)).isEmpty();
      assertThat(document.at("/commit").asText().isEmpty()).isEqualTo(dryRun);
      assertThat(document.at("/table").asText()).isEqualTo(root);
    }
  }

  @Test
  void theLocationsOfACatalogFitTheirSchema() throws Exception {
    GoldenTable table = GoldenTable.load("in-catalog");
    RepaveTable opened = OpenedTables.over(table.paths.root().toString(), table.table());
    String answer = TableGateway.of(opened).locations("metastore", "lake.sales");
    JsonNode document = Contract.JSON.readTree(answer);
    assertThat(Schema.ofDocument("locations").faults(document)).isEmpty();
    assertThat(document.at("/partitions").size()).isPositive();
    assertThat(document.at("/partitions/0/folder").asText())
        .startsWith(document.at("/partitions/0/partition").asText());
  }
}
