package io.repave.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.contract.GoldenRecords.Golden;
import io.repave.core.record.SampleRecords;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The codecs write and read what the schemas of {@code contract/records} say. */
class RecordContractTest {
  private static final String EARLIER = "version-0.1";

  static List<Golden> records() throws IOException {
    return GoldenRecords.whole();
  }

  static List<Golden> readable() throws IOException {
    return GoldenRecords.whole().stream()
        .filter(record -> !GoldenRecords.NEVER_READ.contains(record.type()))
        .toList();
  }

  /** One record of each type and set of members. */
  static Collection<Golden> shapes() throws IOException {
    Map<Object, Golden> shapes = new LinkedHashMap<>();
    for (Golden record : readable()) {
      Schema schema = Schema.ofRecord(record.type());
      schema.faults(record.json());
      shapes.putIfAbsent(List.of(record.type(), schema.seen()), record);
    }
    return shapes.values();
  }

  @Test
  void theEngineWritesTheMembersOfTheSchemasAndNoOthers() throws IOException {
    Map<String, Schema> schemas = new HashMap<>();
    for (Golden record : records()) {
      schemas.putIfAbsent(record.type(), Schema.ofRecord(record.type()));
      assertThat(schemas.get(record.type()).faults(record.json())).as(record.path()).isEmpty();
    }
    List<String> types =
        Contract.names(Contract.ROOT.resolve("records")).stream()
            .map(name -> name.replace(".json", ""))
            .filter(name -> !"common".equals(name))
            .toList();
    assertThat(schemas).containsOnlyKeys(types);
    Set<String> seen = new TreeSet<>();
    Set<String> members = new TreeSet<>();
    for (Schema schema : schemas.values()) {
      seen.addAll(schema.seen());
      members.addAll(schema.members());
    }
    members.removeAll(seen);
    assertThat(members).as("members that no record has").isEmpty();
  }

  @ParameterizedTest
  @MethodSource("readable")
  void whatIsReadAndWrittenAgainIsTheSame(Golden record) throws IOException {
    JsonNode rewritten = SampleRecords.json(GoldenRecords.rewritten(record));
    if (record.path().startsWith(EARLIER)) {
      rewritten = only(rewritten, SampleRecords.json(record.bytes()));
      assertThat(rewritten.toString()).isEqualTo(SampleRecords.json(record.bytes()).toString());
    } else {
      assertThat(RecordFiles.text(GoldenRecords.rewritten(record)))
          .isEqualTo(RecordFiles.text(record.bytes()));
    }
  }

  /** The members that an earlier version wrote too. */
  private static JsonNode only(JsonNode now, JsonNode before) {
    if (now instanceof ObjectNode object) {
      object.retain(before.properties().stream().map(Map.Entry::getKey).toList());
      before
          .properties()
          .forEach(it -> object.set(it.getKey(), only(object.get(it.getKey()), it.getValue())));
    } else if (now instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        array.set(i, only(array.get(i), before.path(i)));
      }
    }
    return now;
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void aRecordIsRefusedWhenItDoesNotFitTheSchema(Golden record) throws IOException {
    Schema schema = Schema.ofRecord(record.type());
    List<String> differences = new ArrayList<>();
    for (Mutations.Mutant mutant : Mutations.of(SampleRecords.json(record.bytes()))) {
      byte[] sealed = SampleRecords.sealed(mutant.json().toString());
      List<String> faults = schema.faults(Contract.JSON.readTree(sealed));
      if (accepts(record, sealed) != faults.isEmpty()) {
        differences.add(mutant.change() + ", and the schema says " + faults);
      }
    }
    assertThat(differences).isEmpty();
  }

  private static boolean accepts(Golden record, byte[] bytes) {
    try {
      GoldenRecords.rewritten(record, bytes);
      return true;
    } catch (IOException refused) {
      assertThat(Errors.isOf(refused, "RecordRefused")).as(refused.toString()).isTrue();
      return false;
    }
  }
}
