package io.repave.core.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.LedgerSummary;
import io.repave.core.ledger.Schema;
import io.repave.core.ledger.Upload;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

/** A schema of plain columns is written in a short form, and is read word for word. */
class SchemaDdlTest {
  private static final String TEN =
      "id long not null,customer string,amount decimal(10,2),at timestamp,region string,"
          + "note string,quantity integer,price double,is_paid boolean,arrived date";

  private static String field(String name, String type, String nullable, String metadata) {
    return "{\"name\":\"%s\",\"type\":%s,\"nullable\":%s,\"metadata\":%s}"
        .formatted(name, type, nullable, metadata);
  }

  private static String struct(String... fields) {
    return "{\"type\":\"struct\",\"fields\":[%s]}".formatted(String.join(",", fields));
  }

  @Test
  void plainColumnsHaveAShortFormThatSaysTheSame() {
    String json =
        struct(
            field("id", "\"long\"", "false", "{}"),
            field("Amount_2", "\"decimal(10,2)\"", "true", "{}"),
            field("not", "\"char(3)\"", "true", "{}"));
    String ddl = "id long not null,Amount_2 decimal(10,2),not char(3)";
    assertThat(SchemaDdl.of(json)).contains(ddl);
    assertThat(SchemaDdl.json(ddl)).contains(json);
  }

  @Test
  void everyOtherSchemaHasNone() {
    String id = field("id", "\"long\"", "true", "{}");
    String[] others = {
      struct(),
      struct(id) + " ",
      struct(id) + "\n",
      struct(id, ""),
      struct(id) + struct(id),
      struct(id.replace(":true", ": true")),
      struct(field("first name", "\"long\"", "true", "{}")),
      struct(field("é", "\"long\"", "true", "{}")),
      struct(field("a\\\"b", "\"long\"", "true", "{}")),
      struct(field("id", "\"interval day to second\"", "true", "{}")),
      struct(field("id", "\"decimal(10, 2)\"", "true", "{}")),
      struct(field("id", "{\"type\":\"array\"}", "true", "{}")),
      struct(field("id", "\"long\"", "true", "{\"comment\":\"key\"}")),
      "x",
    };
    for (String json : others) {
      assertThat(SchemaDdl.of(json)).as(json).isEmpty();
    }
    for (String ddl : List.of("", "id", "id long,", ",id long", "id long\n", "id  long", "a b c")) {
      assertThat(SchemaDdl.json(ddl)).as(ddl).isEmpty();
    }
  }

  @Property(tries = 300)
  void whateverHasAShortFormIsReadAsItWas(
      @ForAll List<@StringLength(max = 6) String> names,
      @ForAll List<@StringLength(max = 6) String> types) {
    List<String> fields = new ArrayList<>();
    for (int i = 0; i < Math.min(names.size(), types.size()); i++) {
      fields.add(field(names.get(i), "\"" + types.get(i) + "\"", "" + (i % 2 == 0), "{}"));
    }
    String json = struct(fields.toArray(String[]::new));
    SchemaDdl.of(json).ifPresent(ddl -> assertThat(SchemaDdl.json(ddl)).contains(json));
    String ddl = String.join(" ", names) + "," + String.join(" not null,", types);
    SchemaDdl.json(ddl).ifPresent(it -> assertThat(SchemaDdl.of(it)).contains(ddl));
  }

  /** Issue 15 allows 1.3 times the bytes of version 0.1, which knew no facts. */
  @Test
  void rowsAndSchemaOfTenColumnsAddLessThanThreeTenthsToALedgerOfOneFile() throws Exception {
    assertThat(SchemaDdl.of(SchemaDdl.json(TEN).orElseThrow())).contains(TEN);
    FileFacts facts = FileFacts.ofRows(1_234).withSchema(SchemaDdl.json(TEN).flatMap(Schema::of));
    for (int files : new int[] {1, 10}) {
      int[] without = new int[20];
      int[] with = new int[without.length];
      for (int seed = 0; seed < without.length; seed++) {
        without[seed] = ledger(files, new Random(seed), FileFacts.NONE).length;
        with[seed] = ledger(files, new Random(seed), facts).length;
      }
      double ratio = (double) Arrays.stream(with).sum() / Arrays.stream(without).sum();
      System.out.printf(
          "Ledger of %d files: %d bytes with rows and schema, %d without, %.2f x%n",
          files, Arrays.stream(with).sum() / 20, Arrays.stream(without).sum() / 20, ratio);
      assertThat(ratio).isLessThan(1.3);
    }
  }

  /** The ids that a job draws do not compress, so they are drawn here, too. */
  private static byte[] ledger(int files, Random random, FileFacts facts) throws Exception {
    CommitId id = new CommitId(uuid(random), 1_795_000_000_123L);
    List<Upload> uploads = new ArrayList<>();
    for (int file = 0; file < files; file++) {
      String name = "part-%05d-%s-%d.c000.snappy.parquet".formatted(file, id.id(), file + 7);
      String upload = Base64.getUrlEncoder().encodeToString(bytes(random, 96));
      List<String> etags = List.of(HexFormat.of().formatHex(bytes(random, 16)));
      long size = 1_000 + random.nextInt(90_000);
      uploads.add(new Upload("dt=" + file, name, upload, size, 8 << 20, etags, facts));
    }
    TreeSet<String> touched =
        uploads.stream().map(Upload::partition).collect(Collectors.toCollection(TreeSet::new));
    long bytes = uploads.stream().mapToLong(Upload::bytes).sum();
    LedgerIndex index =
        new LedgerIndex(
            id,
            CommitKind.DYNAMIC,
            List.of(),
            "",
            "local-1763864100123",
            "_SUCCESS",
            new LedgerSummary(files, bytes, touched),
            4,
            0);
    return LedgerJson.writeIndex(index, uploads);
  }

  private static String uuid(Random random) {
    return new UUID(random.nextLong(), random.nextLong()).toString();
  }

  private static byte[] bytes(Random random, int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }
}
