package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.ConflictPolicy;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.ledger.PartFileName;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.record.RecordNames;
import io.repave.core.store.Location;
import io.repave.testing.JsonLines;
import io.repave.testing.ProcessDied;
import io.repave.testing.TestJob;
import io.repave.testing.TestPorts;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Random jobs, as an engine runs them: begin, upload, commit, then clean up or abort. A job that
 * was told "committed" is published; one that was told "failed" never is; a token stands for one
 * write as long as the history has it.
 */
final class RandomJobs {
  private static final List<String> TOKENS = List.of("a", "b", "c");

  private final Life life;
  private final TestTable table;
  private final List<String> partitions;
  private final Map<String, Written> written = new HashMap<>();
  private final Map<String, String> begunIn = new HashMap<>();
  private final Map<String, LoggedCommit> published = new HashMap<>();
  private final Set<String> publishedBeforeDrop = new HashSet<>();
  private final Map<String, Long> tokens = new HashMap<>();

  /** A job that found its token used before the drop may still say so afterwards. */
  private final Set<String> droppedTokens = new HashSet<>();

  private final Set<String> failed = new HashSet<>();
  private final Set<String> disturbed = new HashSet<>();
  private long cutoffMillis;

  RandomJobs(Life life, List<String> partitions) {
    this.life = life;
    this.table = life.table;
    this.partitions = partitions;
  }

  /** What a commit wrote; empty for an adoption or a rollback. */
  Optional<Written> written(String commit) {
    return Optional.ofNullable(written.get(commit));
  }

  /** The commit may be reverted or cancelled from now on. */
  void disturb(String commit) {
    disturbed.add(commit);
  }

  /** The jobs of the table that was dropped may fail in any way, and its tokens are free. */
  void dropped() {
    disturbed.addAll(written.keySet());
    publishedBeforeDrop.addAll(published.keySet());
    published.clear();
    droppedTokens.addAll(tokens.keySet());
    tokens.clear();
  }

  /** Jobs that began before may be cancelled from now on. */
  void vacuumed(long nowCutoffMillis) {
    cutoffMillis = Math.max(cutoffMillis, nowCutoffMillis);
  }

  void publishes(LoggedCommit commit, Head head) {
    String id = commit.id().id();
    assertThat(failed).as("told that it failed, but published").doesNotContain(id);
    published.put(id, commit);
    String begun = begunIn.getOrDefault(id, "");
    assertThat(begun).as("%s began in another table", id).isIn("", head.tableId());
    if (!commit.token().isEmpty()) {
      long earlier = tokens.getOrDefault(commit.token(), 0L);
      assertThat(earlier)
          .as("token %s of %s, history from %d", commit.token(), commit, head.historyFrom())
          .isLessThan(Math.max(1, head.historyFrom()));
      tokens.put(commit.token(), commit.version());
    }
  }

  void reverts(LoggedCommit commit) {
    // A vacuum of a table without a head has no fence: it aborts the uploads of an old first job.
    boolean first = !begunIn.containsKey(commit.id().id());
    boolean aborted = first && commit.id().startedMillis() <= cutoffMillis;
    assertThat(aborted || disturbed.contains(commit.id().id()))
        .as("reverted without a reason: %s", commit)
        .isTrue();
  }

  /** One job of a kind. Others may work inside its requests, and it may die. */
  void run(CommitKind kind, Life.Work others) throws Exception {
    Written job = next(kind);
    written.put(job.commit(), job);
    life.note(kind + " " + job.folders() + " " + job.scope() + (job.token().isEmpty() ? "" : job));
    boolean last = life.random.nextBoolean();
    table.configure(it -> it.conflicts(last ? ConflictPolicy.LAST_WRITER : ConflictPolicy.FAIL));
    int pauses = life.pauses();
    TestPorts ports = life.process(others).rows(JsonLines.FORMAT);
    try {
      run(job, table.open(ports.ports()));
    } catch (ProcessDied died) {
      life.note("(died)");
    } catch (InvalidConfigException refused) {
      life.note("(" + refused.getMessage() + ")");
    } catch (IOException failed) {
      life.note("(" + failed.getMessage() + ")");
      life.requireNoViolation();
      // Only others, which it met, make a job fail.
      if (!life.inside() && life.pauses() == pauses) {
        throw failed;
      }
    }
    life.requireNoViolation();
  }

  private Written next(CommitKind kind) {
    List<String> folders = new ArrayList<>();
    for (int i = life.random.nextInt(4); i > 0; i--) {
      folders.add(life.any(partitions));
    }
    List<String> scope = kind == CommitKind.STATIC ? whole(folders) : List.of();
    if (kind == CommitKind.STATIC && life.random.nextBoolean()) {
      String folder = life.any(partitions);
      scope = List.of(folder);
      folders.replaceAll(it -> folder);
    }
    String token = life.oneOf(6) ? kind.name() + scope + life.any(TOKENS) : "";
    String id = table.request(kind).commit();
    return new Written(id, kind, List.copyOf(folders), scope, token);
  }

  /**
   * An overwrite of a whole table names its partitions outside the table's folder, as Spark does.
   */
  private static List<String> whole(List<String> folders) {
    return Stream.concat(Stream.of(""), folders.stream().filter(RecordNames::isOutside)).toList();
  }

  private void run(Written job, Table process) throws Exception {
    CommitRequest request =
        new CommitRequest(job.commit(), job.kind(), job.scope(), job.token(), "_SUCCESS");
    WriteTransaction begun = process.begin(request);
    if (begun.begun().version() > 0) {
      begunIn.put(job.commit(), begun.begun().tableId());
    }
    TestJob running = new TestJob(begun, TestTable.ledger(table.upload(begun, job.folders())));
    if (!job.folders().isEmpty() && begun.readers() == Readers.LISTING) {
      loseAttempt(job);
    }
    try {
      running.commit();
    } catch (CommitFailedException failure) {
      failed.add(job.commit());
      life.requireNoViolation();
      requireCause(running, failure);
      running.abort();
      throw failure;
    } catch (IOException unknown) {
      life.requireNoViolation();
      running.abort();
      throw unknown;
    }
    begun.abortLostUploads();
    boolean own = published.containsKey(job.commit()) || publishedBeforeDrop.contains(job.commit());
    assertThat(own || isRepeated(job, begun.begun()))
        .as("told that it is committed, but not published")
        .isTrue();
  }

  /** A token of a table that was dropped since counts only for a job that began in that table. */
  private boolean isRepeated(Written job, Head begun) throws Exception {
    boolean inNewest =
        begun.version() > 0
            && table.open().head().map(Head::tableId).filter(begun.tableId()::equals).isPresent();
    return tokens.containsKey(job.token()) || !inNewest && droppedTokens.contains(job.token());
  }

  /** An attempt of a task that was not committed leaves an upload. */
  private void loseAttempt(Written job) throws IOException {
    String name = PartFileName.of("", 0, job.commit(), 2, ".c000.parquet");
    Location at = table.paths.file(job.folders().get(0), name);
    String id = table.store.createUpload(at);
    table.store.uploadPart(at, id, 1, ByteBuffer.wrap(new byte[] {1}));
  }

  private void requireCause(TestJob job, CommitFailedException failure) {
    assertThat(published)
        .as("failed with %s, but is published", failure)
        .doesNotContainKey(job.id().id());
    if (failure.getMessage().contains("vacuum cancelled it")) {
      assertThat(disturbed.contains(job.id().id()) || job.id().startedMillis() <= cutoffMillis)
          .as("cancelled without a reason: %s", failure.getMessage())
          .isTrue();
    }
  }
}
