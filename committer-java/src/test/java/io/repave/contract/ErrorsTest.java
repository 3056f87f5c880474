package io.repave.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.repave.core.error.CommitFailedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The exceptions of the engine are those of {@code contract/errors.json}, Python's are too. */
class ErrorsTest {
  private static final String PACKAGE = CommitFailedException.class.getPackageName();

  @Test
  void everyExceptionIsNamedInTheTable() throws IOException {
    List<String> names = new ArrayList<>();
    for (JsonNode entry : Errors.table()) {
      names.add(entry.get("java").asText());
    }
    names.remove(IOException.class.getSimpleName());
    assertThat(exceptions()).containsExactlyInAnyOrderElementsOf(names);
  }

  @Test
  void theHierarchyIsPythons() throws Exception {
    Map<String, String> javaOf = new HashMap<>();
    for (JsonNode entry : Errors.table()) {
      javaOf.put(entry.get("python").asText(), entry.get("java").asText());
    }
    for (JsonNode entry : Errors.table()) {
      String parent = entry.get("parent").asText();
      if (!parent.isEmpty()) {
        Class<?> type = Class.forName(PACKAGE + "." + entry.get("java").asText());
        assertThat(type.getSuperclass().getSimpleName()).isEqualTo(javaOf.get(parent));
      }
    }
  }

  private static List<String> exceptions() throws IOException {
    Path classes = Contract.ROOT.resolve("../committer-java/target/classes");
    return Contract.names(classes.resolve(PACKAGE.replace('.', '/'))).stream()
        .map(name -> name.replace(".class", ""))
        .filter(name -> name.endsWith("Exception"))
        .toList();
  }
}
