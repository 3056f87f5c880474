package io.repave.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Java and Python find the commit of a file by one rule: {@code contract/file-names.json}. */
class PartFileNameTest {
  private static final String EARLIER = "11111111-2222-4333-8444-555555555555";
  private static final String OWN = "99999999-2222-4333-8444-555555555555";

  @Test
  void theCommitOfANameIsThatOfTheContract() throws Exception {
    Path root = Path.of(System.getProperty("user.dir")).getParent();
    Path contract = root.resolve("contract/file-names.json");
    JsonNode names = new ObjectMapper().readTree(contract.toFile());
    assertThat(names).isNotEmpty();
    for (JsonNode each : names) {
      String name = each.get("name").asText();
      Optional<String> commit = Optional.ofNullable(each.get("commit").textValue());
      assertThat(PartFileName.commitOf(name)).as(name).isEqualTo(commit);
      commit.ifPresent(id -> assertThat(PartFileName.belongsTo(name, id)).as(name).isTrue());
      assertThat(PartFileName.belongsTo(name, OWN))
          .as(name)
          .isEqualTo(commit.equals(Optional.of(OWN)));
    }
  }

  /** An output format may name its files after its input files, which an earlier commit wrote. */
  @Test
  void aFileThatIsNamedAfterAnotherCommitsFileBelongsToItsOwnCommitAlone() {
    String input = PartFileName.of("", 0, EARLIER, 1, "");
    String name = PartFileName.of(input + "-", 0, OWN, 0, ".txt");
    assertThat(name).isEqualTo("part_00000-" + EARLIER + "-1-part-00000-" + OWN + "-0.txt");
    assertThat(PartFileName.commitOf(name)).contains(OWN);
    assertThat(PartFileName.belongsTo(name, OWN)).isTrue();
    assertThat(PartFileName.belongsTo(name, EARLIER)).isFalse();
  }

  @Test
  void aPrefixWithoutACommitStays() {
    assertThat(PartFileName.of("part-r-00003-", 3, OWN, 0, ".gz"))
        .isEqualTo("part-r-00003-part-00003-" + OWN + "-0.gz");
  }
}
