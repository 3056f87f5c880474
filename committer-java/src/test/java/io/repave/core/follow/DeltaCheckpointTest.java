package io.repave.core.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.engine.Progress;
import io.repave.core.engine.Step;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Schema;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.RowFileFormat;
import io.repave.testing.DeltaReplay;
import io.repave.testing.JsonLines;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DeltaCheckpointTest {
  private static final String SCHEMA =
      "{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\"}]}";
  private static final int EVERY = 5;

  /** A table that is followed from its second version on. */
  private static TestTable followed(Readers readers) throws Exception {
    return followed(new TestTable(readers));
  }

  private static TestTable followed(TestTable table) throws Exception {
    table.configure(it -> it.checkpointEvery(2).deltaCheckpointEvery(EVERY));
    table.commit(CommitKind.APPEND, "dt=2026-11-21", "dt=2026-11-22");
    Table process =
        table.open(
            table.process().facts(end -> FileFacts.NONE.withSchema(Schema.of(SCHEMA))).ports());
    process.follow(FollowerKind.DELTA);
    return table;
  }

  private static void commits(TestTable table, RowFileFormat rows, long version) throws Exception {
    Table process = table.open(table.process().rows(rows).ports());
    while (table.head().version() < version) {
      CommitKind kind = table.head().version() % 2 == 0 ? CommitKind.APPEND : CommitKind.DYNAMIC;
      table.job(process, kind, "dt=2026-11-2" + table.head().version() % 4).commit();
    }
  }

  private static Location at(TestTable table, String name) {
    return table.paths.deltaLog().resolve(name);
  }

  private static Location checkpoint(TestTable table, long number) {
    return at(table, String.format(Locale.ROOT, "%020d.checkpoint.parquet", number));
  }

  private static String pointer(TestTable table) {
    byte[] content = table.store.objects().get(at(table, "_last_checkpoint")).content();
    return new String(content, StandardCharsets.UTF_8);
  }

  private static void assertCheckpoint(TestTable table, long version) throws Exception {
    Follower follower = table.head().followers().get(0);
    int number = (int) (version - follower.from());
    byte[] content = table.store.objects().get(checkpoint(table, number)).content();
    DeltaReplay found = DeltaReplay.ofCheckpoint(content);
    DeltaReplay log = DeltaReplay.of(table.store, table.paths, number);
    assertThat(found.live()).isEqualTo(log.live()).isNotEmpty();
    assertThat(found.protocol()).isEqualTo(log.protocol());
    assertThat(found.metaData().get("schemaString")).isEqualTo(log.metaData().get("schemaString"));
    assertThat(found.all("add")).allMatch(it -> !it.get("dataChange").asBoolean());
    assertThat(pointer(table)).startsWith("{\"version\":" + number + ",");
  }

  @ParameterizedTest
  @EnumSource
  void aCheckpointHasWhatTheVersionsUpToItSay(Readers readers) throws Exception {
    TestTable table = followed(readers);
    long first = 5;
    commits(table, JsonLines.FORMAT, first);
    assertCheckpoint(table, first);
    commits(table, JsonLines.FORMAT, 2 * first);
    assertCheckpoint(table, 2 * first);
    assertThat(table.head().followers().get(0).next()).isEqualTo(2 * first + 1);
  }

  @Test
  void onlyACommitThatWritesOneCostsMore() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    table.configure(it -> it.checkpointEvery(100));
    commits(table, JsonLines.FORMAT, 2);
    long without = requests(table);
    commits(table, JsonLines.FORMAT, EVERY - 1);
    long due = requests(table);
    assertThat(table.head().version()).isEqualTo(EVERY);
    // HEAD and PUT of the checkpoint, GETs of the state and of the head, GET and PUT of the
    // pointer,
    // and 1 GET for the manifest of each commit since the table's own checkpoint.
    assertThat(due - without).isEqualTo(6 + EVERY);
    assertCheckpoint(table, EVERY);
  }

  /** The requests of one commit. */
  private static long requests(TestTable table) throws Exception {
    long before = table.requests();
    commits(table, JsonLines.FORMAT, table.head().version() + 1);
    return table.requests() - before;
  }

  @Test
  void withoutALibraryTheCommitGoesOnAndASyncSaysSo() throws Exception {
    TestTable table = followed(Readers.LISTING);
    List<String> said = new ArrayList<>();
    Progress listener =
        new Progress() {
          @Override
          public void at(Step step, long done, long total) {}

          @Override
          public void noCheckpoint(String why) {
            said.add(why);
          }
        };
    commits(table, RowFileFormat.ABSENT, EVERY - 1);
    Table process = table.open(table.process().progress(listener).ports());
    table.job(process, CommitKind.APPEND, "dt=2026-11-21").commit();
    assertThat(said).containsExactly("parquet-hadoop is not on the class path.");
    assertThat(table.head().active()).isEmpty();
    assertThat(table.store.objects().keySet())
        .noneMatch(it -> it.key().endsWith(".checkpoint.parquet"));
    assertThatThrownBy(() -> table.open().sync())
        .hasMessageContaining("its checkpoint could not be written: parquet-hadoop is not");
    assertThat(table.head().followers().get(0).next()).isEqualTo(table.head().version() + 1);
    table.open(table.process().rows(JsonLines.FORMAT).ports()).sync();
    assertCheckpoint(table, table.head().version());
  }

  @Test
  void aCheckpointThatIsThereIsNotWrittenAgain() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    commits(table, JsonLines.FORMAT, EVERY);
    Location at = checkpoint(table, EVERY - table.head().followers().get(0).from());
    long written = table.store.objects().get(at).modifiedMillis();
    table.store.put(at(table, "_last_checkpoint"), ByteBuffer.wrap(new byte[] {'?'}));
    table.clock.advance(10_000);
    table.open(table.process().rows(JsonLines.FORMAT).ports()).sync();
    assertThat(table.store.objects().get(at).modifiedMillis()).isEqualTo(written);
  }

  @Test
  void emptyFilesOfOtherWritersAreInNeitherTheLogNorACheckpoint() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.store.put(
        table.paths.root().resolve("dt=2026-11-20/part-9.parquet"), ByteBuffer.allocate(0));
    followed(table);
    commits(table, JsonLines.FORMAT, EVERY);
    long first = table.head().followers().get(0).from();
    assertCheckpoint(table, EVERY);
    int live = log(table, EVERY - first).live().size();
    assertThat(table.recordedAt(EVERY)).hasSize(live + 1);
    assertThat(pointer(table)).endsWith("\"numOfAddFiles\":" + live + "}");
    String written = pointer(table);
    table.store.delete(List.of(at(table, "_last_checkpoint")));
    table.open(table.process().rows(JsonLines.FORMAT).ports()).sync();
    assertThat(pointer(table)).isEqualTo(written);
    table.commit(CommitKind.STATIC, "dt=2026-11-21");
    assertThat(log(table, table.head().version() - first).all("remove"))
        .noneMatch(it -> it.get("path").asText().contains("part-9"));
  }

  private static DeltaReplay log(TestTable table, long number) {
    return DeltaReplay.of(table.store, table.paths, (int) number);
  }

  /** A process that dies between the checkpoint and the pointer leaves readers without it. */
  @Test
  void aSyncRestoresThePointerToACheckpoint() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    commits(table, JsonLines.FORMAT, EVERY);
    Location pointer = at(table, "_last_checkpoint");
    String written = pointer(table);
    table.store.delete(List.of(pointer));
    table.open(table.process().rows(JsonLines.FORMAT).ports()).sync();
    assertThat(pointer(table)).isEqualTo(written);
    assertCheckpoint(table, EVERY);
  }

  @Test
  void switchingItOffDeletesCheckpoints() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    commits(table, JsonLines.FORMAT, EVERY);
    table.open().unfollow(FollowerKind.DELTA);
    assertThat(table.store.objects().keySet()).noneMatch(table.paths.deltaLog()::holds);
  }
}
