package io.repave.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The engine writes the records of {@code contract/tables} byte for byte, and answers every
 * question about them with the expected document. Run it with {@code -Drepave.contract.write=true}
 * to write both anew, and read the difference before you commit it.
 */
class GoldenStatesTest {
  /** Written by version 0.1: never written anew. */
  private static final List<String> EARLIER =
      List.of("version-0.1-listing", "version-0.1-snapshot");

  static Set<String> written() {
    return GoldenStates.all().keySet();
  }

  static List<String> states() throws IOException {
    return Contract.states();
  }

  @ParameterizedTest
  @MethodSource("written")
  void theEngineWritesTheRecords(String state) throws Exception {
    GoldenTable table = new GoldenTable(state);
    GoldenStates.all().get(state).write(table);
    if (Contract.WRITE) {
      RecordFiles.write(state, table.records());
      writeAnswers(state);
    }
    assertThat(RecordFiles.texts(table.records()))
        .isEqualTo(RecordFiles.texts(RecordFiles.read(state)));
  }

  @ParameterizedTest
  @MethodSource("states")
  void everyQuestionIsAnsweredAsExpected(String state) throws Exception {
    if (Contract.WRITE) {
      writeAnswers(state);
    }
    GoldenTable table = GoldenTable.load(state);
    List<String> questions = Questions.about(table);
    assertThat(Contract.names(expected(state)))
        .containsExactlyInAnyOrderElementsOf(questions.stream().map(it -> it + ".json").toList());
    for (String question : questions) {
      JsonNode document = Contract.read(expected(state).resolve(question + ".json"));
      // Parsed again: Jackson tells an int from a long, and JSON does not.
      JsonNode answer = Contract.JSON.readTree(Questions.answer(table, question).toString());
      assertThat(answer).as(question).isEqualTo(document);
    }
  }

  @Test
  void everyStateIsWrittenByThisEngineOrByAnEarlierOne() throws IOException {
    assertThat(Contract.states())
        .containsAll(EARLIER)
        .containsAll(written())
        .hasSize(EARLIER.size() + written().size());
  }

  private static Path expected(String state) {
    return Contract.TABLES.resolve(state).resolve("expected");
  }

  private static void writeAnswers(String state) throws Exception {
    Path folder = Files.createDirectories(expected(state));
    for (String old : Contract.names(folder)) {
      Files.delete(folder.resolve(old));
    }
    GoldenTable table = GoldenTable.load(state);
    var writer = Contract.JSON.writer(SerializationFeature.INDENT_OUTPUT);
    for (String question : Questions.about(table)) {
      String text = writer.writeValueAsString(Questions.answer(table, question));
      Files.writeString(folder.resolve(question + ".json"), text + "\n");
    }
  }
}
