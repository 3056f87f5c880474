package io.repave.core.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Schema;
import io.repave.core.ledger.SchemaList;
import io.repave.core.ledger.TaskLedgerReader;
import io.repave.core.ledger.Upload;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each distinct schema of a record is written once and read as one object, within bounds. */
class SchemasJsonTest {
  private static final String NAME = "part-00000-" + SampleRecords.COMMIT + "-1.c000.parquet";

  private static Upload upload(String schema) {
    FileFacts facts = FileFacts.NONE.withSchema(Schema.of(schema));
    return new Upload("dt=1", NAME, "", 10, 0, List.of(), facts);
  }

  private static List<Upload> again(List<Upload> uploads) throws IOException {
    byte[] record = LedgerJson.writeShard(SampleRecords.ID, uploads);
    return LedgerJson.readShard(record, SampleRecords.ID, "shard");
  }

  private static List<Upload> asMessage(List<Upload> uploads) throws IOException {
    TaskLedgerReader reader = new TaskLedgerReader(TestTable.taskLedger(uploads));
    List<Upload> read = new ArrayList<>();
    while (reader.hasNext()) {
      read.add(reader.next());
    }
    return read;
  }

  private static long known(List<Upload> uploads) {
    return uploads.stream().filter(it -> it.facts().schema().isPresent()).count();
  }

  @Test
  void aSchemaIsWrittenOnceAndReadAsOneObject() throws IOException {
    List<Upload> uploads = List.of(upload("a"), upload("b"), upload(""), upload("a"));
    ObjectNode json = SampleRecords.json(LedgerJson.writeShard(SampleRecords.ID, uploads));
    assertThat(json.get("schemas").toString()).isEqualTo("[{\"json\":[\"a\"]},{\"json\":[\"b\"]}]");
    for (List<Upload> read : List.of(again(uploads), asMessage(uploads))) {
      assertThat(read).isEqualTo(uploads);
      assertThat(read.get(3).facts().schema()).isSameAs(read.get(0).facts().schema());
    }
  }

  /** Surrogate pairs lie on every border between pieces. */
  @Test
  void aLongSchemaIsReadAsItWas() throws IOException {
    for (String start : List.of("", "x")) {
      String text = start + "\uD83D\uDE00".repeat(60_000);
      assertThat(again(List.of(upload(text)))).isEqualTo(List.of(upload(text)));
      assertThat(asMessage(List.of(upload(text)))).isEqualTo(List.of(upload(text)));
    }
    assertThat(Schema.of("x".repeat(Schema.BYTES_MAX))).isPresent();
    assertThat(Schema.of("x".repeat(Schema.BYTES_MAX + 1))).isEmpty();
    assertThat(Schema.of("é".repeat(Schema.BYTES_MAX / 2 + 1))).isEmpty();
    assertThat(Schema.of("\uD83D")).as("half a pair cannot be written").isEmpty();
  }

  @Test
  void schemasBeyondTheBoundsAreUnknown() throws IOException {
    List<Upload> many = IntStream.range(0, 300).mapToObj(it -> upload("" + it)).toList();
    assertThat(known(again(many))).isEqualTo(SchemaList.COUNT_MAX);
    assertThat(known(asMessage(many))).isEqualTo(SchemaList.COUNT_MAX);
    String long1 = "x".repeat(Schema.BYTES_MAX - 10);
    List<Upload> large = IntStream.range(0, 20).mapToObj(it -> upload(it + long1)).toList();
    assertThat(known(again(large))).isEqualTo(SchemaList.BYTES_MAX / Schema.BYTES_MAX);
    assertThat(known(asMessage(large))).isEqualTo(SchemaList.BYTES_MAX / Schema.BYTES_MAX);
  }

  @Test
  void aRecordThatIsBeyondTheBoundsIsRefused() throws IOException {
    String record = json("[{\"json\":[\"a\"]}]", 0);
    assertThat(read(record)).isPresent();
    assertThatThrownBy(() -> read(json("[{\"json\":[\"a\"]}]", 1)))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("'schema'");
    String many = "[" + "{\"json\":[\"a\"]},".repeat(256) + "{\"json\":[\"a\"]}]";
    String large = "[{\"json\":[" + "\"%s\",".formatted("x".repeat(8_000)).repeat(33) + "\"\"]}]";
    String expanding =
        "[{\"ddl\":[" + "\"%s\",".formatted("a b,".repeat(1_900)).repeat(3) + "\"a b\"]}]";
    List<String> none =
        List.of(
            "[{\"json\":[]}]",
            "[{\"json\":[\"\"]}]",
            "[{}]",
            "[{\"ddl\":[]}]",
            "[{\"ddl\":[\"id\"]}]");
    for (String schemas :
        Stream.concat(Stream.of(many, large, expanding), none.stream()).toList()) {
      assertThatThrownBy(() -> read(json(schemas, 0))).isInstanceOf(InvalidRecordException.class);
    }
  }

  /** Another program may have dropped a member that it did not know. */
  @Test
  void inARecordWithoutSchemasTheyAreUnknown() throws IOException {
    assertThat(read(json("[]", 3))).isEmpty();
  }

  private static String json(String schemas, int place) throws IOException {
    ObjectNode json =
        SampleRecords.json(LedgerJson.writeShard(SampleRecords.ID, List.of(upload("a"))));
    return json.toString()
        .replace("\"schemas\":[{\"json\":[\"a\"]}]", "\"schemas\":" + schemas)
        .replace("\"schema\":0", "\"schema\":" + place);
  }

  private static Optional<Schema> read(String json) throws IOException {
    return LedgerJson.readShard(SampleRecords.sealed(json), SampleRecords.ID, "shard")
        .get(0)
        .facts()
        .schema();
  }
}
