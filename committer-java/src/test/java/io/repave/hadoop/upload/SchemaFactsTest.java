package io.repave.hadoop.upload;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Schema;
import io.repave.core.ledger.Upload;
import io.repave.core.record.Readers;
import io.repave.hadoop.footer.WantedFacts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.parquet.crypto.FileEncryptionProperties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The schema of a file is what Spark says in it, else what its columns say, else unknown. */
class SchemaFactsTest {
  private static final byte[] KEY = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final String SPARK = "org.apache.spark.sql.parquet.row.metadata";

  private static FileFacts facts(byte[] file) {
    return new PassingFile(WantedFacts.NONE).last(new ArrayPart(file)).facts();
  }

  private static Optional<String> schema(String columns) throws IOException {
    return schema(columns, Map.of());
  }

  private static Optional<String> schema(String columns, Map<String, String> says)
      throws IOException {
    return facts(ParquetBytes.empty(columns, says)).schema().map(Schema::json);
  }

  private static Optional<String> struct(String... fields) {
    return Optional.of("{\"type\":\"struct\",\"fields\":[" + String.join(",", fields) + "]}");
  }

  private static String field(String name, String type) {
    return "{\"name\":\"%s\",\"type\":%s,\"nullable\":true,\"metadata\":{}}".formatted(name, type);
  }

  @Test
  void whatSparkSaysIsTakenWordForWord() throws IOException {
    String says =
        "{ \"type\":\"struct\",\"fields\":[{\"name\":\"é\",\"type\":\"string\","
            + "\"nullable\":true,\"metadata\":{\"comment\":\"a\"}}] }";
    assertThat(schema("optional int32 é (DATE);", Map.of("a", "b", SPARK, says))).hasValue(says);
  }

  /** A copy of a file may carry what Spark said of the original. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"struct\",\"fields\":[{\"name\":\"other\",\"type\":\"long\"}]}",
        "{\"type\":\"struct\",\"fields\":[{\"name\":\"id\"}]}",
        "{\"type\":\"struct\",\"fields\":[]}",
        "{\"type\":\"struct\",\"fields\":{\"name\":\"id\",\"type\":\"long\"}}",
        "{\"type\":\"array\",\"fields\":[{\"name\":\"id\",\"type\":\"long\"}]}",
        "StructType(List(StructField(id,LongType,true)))",
        "[",
        ""
      })
  void whatDoesNotFitTheColumnsIsNotBelieved(String says) throws IOException {
    assertThat(schema("optional int64 id;", Map.of(SPARK, says)))
        .isEqualTo(struct(field("id", "\"long\"")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "boolean c | boolean",
        "int32 c | integer",
        "int32 c (INTEGER(8,true)) | byte",
        "int32 c (INTEGER(16,true)) | short",
        "int32 c (INTEGER(32,true)) | integer",
        "int32 c (INTEGER(8,false)) | short",
        "int32 c (INTEGER(16,false)) | integer",
        "int32 c (INTEGER(32,false)) | long",
        "int32 c (DATE) | date",
        "int32 c (DECIMAL(9,2)) | decimal(9,2)",
        "int64 c | long",
        "int64 c (INTEGER(64,true)) | long",
        "int64 c (INTEGER(64,false)) | decimal(20,0)",
        "int64 c (DECIMAL(18,0)) | decimal(18,0)",
        "int64 c (TIMESTAMP(MICROS,true)) | timestamp",
        "int64 c (TIMESTAMP(MILLIS,true)) | timestamp",
        "int64 c (TIMESTAMP(MICROS,false)) | timestamp_ntz",
        "int96 c | timestamp",
        "float c | float",
        "double c | double",
        "binary c | binary",
        "binary c (STRING) | string",
        "binary c (ENUM) | string",
        "binary c (JSON) | string",
        "binary c (DECIMAL(38,10)) | decimal(38,10)",
        "fixed_len_byte_array(16) c (DECIMAL(20,3)) | decimal(20,3)",
        "fixed_len_byte_array(4) c | binary",
      })
  void aColumnSaysItsType(String column, String type) throws IOException {
    assertThat(schema("optional " + column + ";"))
        .isEqualTo(struct(field("c", "\"" + type + "\"")));
  }

  @Test
  void nestedColumnsSayTheirTypes() throws IOException {
    FileFacts facts = facts(ParquetBytes.of(3));
    String list = "{\"type\":\"array\",\"elementType\":\"string\",\"containsNull\":true}";
    String map =
        "{\"type\":\"map\",\"keyType\":\"string\",\"valueType\":\"decimal(9,2)\","
            + "\"valueContainsNull\":true}";
    assertThat(facts.schema().map(Schema::json))
        .isEqualTo(
            struct(
                field("id", "\"long\"").replace("true", "false"),
                field("name", "\"string\""),
                field("at", "\"timestamp\""),
                field("old", "\"timestamp\""),
                field("tags", list),
                field("map", map)));
    String inner = struct(field("c", "\"integer\"")).orElseThrow();
    String outer = struct(field("b", inner)).orElseThrow();
    assertThat(schema("optional group a { optional group b { optional int32 c; } }"))
        .isEqualTo(struct(field("a", outer)));
  }

  /** One such column makes the whole schema unknown; the rows stay known. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "optional int32 c (TIME(MILLIS,true));",
        "optional int64 c (TIMESTAMP(NANOS,true));",
        "optional binary c (BSON);",
        "optional fixed_len_byte_array(16) c (UUID);",
        "optional fixed_len_byte_array(12) c (INTERVAL);",
        "repeated int32 c;",
        "repeated group c { optional int32 d; }",
        "optional group c (LIST) { repeated int32 array; }",
        "optional group c (LIST) { repeated group array { optional int32 d; } }",
        "optional group c (LIST) { repeated group c_tuple { optional int32 d; } }",
        "optional group c (LIST) { repeated group list { optional int32 d; optional int32 e; } }",
        "optional group c { optional group d { repeated binary e (STRING); } }",
      })
  void aColumnWhoseTypeIsInDoubtMakesTheSchemaUnknown(String column) throws IOException {
    FileFacts facts = facts(ParquetBytes.empty("optional int64 id; " + column, Map.of()));
    assertThat(facts).isEqualTo(FileFacts.ofRows(0));
  }

  @Test
  void aSchemaIsKnownUpToItsBound() throws IOException {
    assertThat(schema(columns(2_500)).map(String::length))
        .hasValueSatisfying(length -> assertThat(length).isGreaterThan(150_000));
    FileFacts wide = facts(ParquetBytes.wide(3, 10_000));
    assertThat(wide).isEqualTo(FileFacts.ofRows(3));
    String says =
        IntStream.range(0, 5_000)
            .mapToObj(it -> field("a" + it, "\"string\""))
            .collect(Collectors.joining(",", "{\"type\":\"struct\",\"fields\":[", "]}"));
    assertThat(schema(columns(5_000), Map.of(SPARK, says))).isEmpty();
  }

  private static String columns(int count) {
    return IntStream.range(0, count)
        .mapToObj(it -> "optional binary a" + it + " (STRING);")
        .collect(Collectors.joining());
  }

  @Test
  void theFooterMayBeCutAnywhere() throws IOException {
    byte[] file = ParquetBytes.of(77);
    FileFacts whole = facts(file);
    assertThat(whole.schema()).isPresent();
    for (int part = 4; part <= file.length; part++) {
      assertThat(ArrayPart.facts(file, part)).as("parts of %d bytes", part).isEqualTo(whole);
    }
  }

  @Test
  void anEncryptedFooterGivesNoSchema() throws IOException {
    FileEncryptionProperties.Builder hidden = FileEncryptionProperties.builder(KEY);
    assertThat(facts(ParquetBytes.of(1, it -> it.withEncryption(hidden.build()))))
        .isEqualTo(FileFacts.NONE);
    FileEncryptionProperties.Builder plain =
        FileEncryptionProperties.builder(KEY).withPlaintextFooter();
    assertThat(facts(ParquetBytes.of(1, it -> it.withEncryption(plain.build()))).schema())
        .isEqualTo(facts(ParquetBytes.of(1)).schema());
  }

  @Test
  void theTasksMessageCarriesTheSchemaOnce(@TempDir Path folder) throws Exception {
    byte[] file = ParquetBytes.of(4);
    UploadWorld world = new UploadWorld(folder);
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    for (int number = 0; number < 10; number++) {
      world.write(attempt, "dt=1", number + ".parquet", file);
    }
    List<Upload> uploads = UploadWorld.uploads(attempt.commit());
    Optional<Schema> first = uploads.get(0).facts().schema();
    assertThat(first).isEqualTo(facts(file).schema()).isPresent();
    assertThat(uploads).allSatisfy(it -> assertThat(it.facts().schema()).isSameAs(first));
    new ObjectMapper().readTree(first.orElseThrow().json());
    world.endWithNothingLeft();
  }
}
