package io.repave.core.conflict;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.Repeats;
import io.repave.core.engine.StoredLedger;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.RecordErrors;
import io.repave.core.error.TokenErrors;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.Application;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.Labels;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.record.RecordNames;
import io.repave.core.record.TokenJson;
import io.repave.core.record.UsedToken;
import io.repave.core.snapshot.History;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Finds the commit of a token. A token names one write, however often that write is tried. */
public final class TokenCheck {
  private record Write(
      String token, CommitKind kind, List<String> scope, String application, Repeats repeats) {}

  /** A published commit that a job repeats, and its ledger, unless it is lost. */
  public record Repeated(LoggedCommit commit, Optional<LedgerIndex> ledger) {}

  private final TableContext context;

  public TokenCheck(TableContext context) {
    this.context = context;
  }

  /** The published commit with a token. Requests: 1 GET, none when the head names the commit. */
  public Optional<LoggedCommit> published(String token, Head head)
      throws IOException, InterruptedException {
    if (token.isEmpty()) {
      return Optional.empty();
    }
    for (LoggedCommit commit : head.log()) {
      if (commit.token().equals(token) && !commit.reverted()) {
        return Optional.of(commit);
      }
    }
    Location at = context.paths().token(token);
    Optional<byte[]> stored = context.records().read(at);
    if (stored.isEmpty()) {
      return Optional.empty();
    }
    UsedToken used = TokenJson.read(stored.get(), at.toString());
    LoggedCommit commit = used.commit();
    if (!commit.token().equals(token)) {
      throw RecordErrors.recordOfAnotherToken(at);
    }
    if (!used.isOf(head) || commit.version() > head.version() || head.contradicts(commit)) {
      // A newer head has the version, and a job that found none may see the table's first one.
      requirePublished(used, at);
    }
    return Optional.of(commit);
  }

  /** A token is recorded after its commit is published, so the head has it as that version. */
  private void requirePublished(UsedToken used, Location at)
      throws IOException, InterruptedException {
    LoggedCommit commit = used.commit();
    VersionedHead now = context.heads().read();
    if (!now.head().map(used::isOf).orElse(used.tableId().isEmpty())) {
      throw TokenErrors.ofAnotherTable(
          commit.token(), commit.id().folder(), context.paths().root(), at);
    }
    if (now.version() < commit.version()) {
      throw RecordErrors.headSetBack(
          context.paths().head(), now.version(), "the token " + commit.token(), commit.version());
    }
    if (now.head().filter(it -> it.contradicts(commit)).isPresent()) {
      throw RecordErrors.headOfAnotherCommit(
          context.paths().head(), commit.token(), commit.id().folder(), commit.version());
    }
  }

  /**
   * Refuses a job before its tasks when its token belongs to another write; otherwise its rows
   * would count as written already. Returns the published commit that the job repeats. Requests: at
   * most 2 GETs, and 1 more when the commit has no ledger; those of {@code isFirst}.
   */
  public Optional<Repeated> requireFree(CommitRequest request, Optional<Head> head)
      throws IOException, InterruptedException {
    if (request.token().isEmpty() || head.isEmpty()) {
      return Optional.empty();
    }
    Write write =
        new Write(
            request.token(),
            request.kind(),
            request.scope(),
            request.application(),
            request.repeats());
    for (ActiveCommit commit : head.get().active()) {
      if (commit.token().equals(request.token())) {
        long version = commit.version() == 0 ? head.get().version() + 1 : commit.version();
        requireSame(write, ledger(commit.id(), commit.kind()), version, head.get());
        return Optional.empty();
      }
    }
    Optional<LoggedCommit> earlier = published(request.token(), head.get());
    if (earlier.isEmpty()) {
      return Optional.empty();
    }
    LoggedCommit commit = earlier.get();
    return Optional.of(new Repeated(commit, requireSame(write, commit, head.get())));
  }

  /**
   * The same for a commit whose token another one got while its tasks ran; {@code repeats} are
   * those of its request. Requests: 1 GET, and 1 more when that commit has no ledger.
   */
  public void requireSame(LedgerIndex index, Repeats repeats, LoggedCommit earlier, Head head)
      throws IOException, InterruptedException {
    requireSame(
        new Write(index.token(), index.kind(), index.scope(), index.application(), repeats),
        earlier,
        head);
  }

  private Optional<LedgerIndex> requireSame(Write write, LoggedCommit earlier, Head head)
      throws IOException, InterruptedException {
    Optional<LedgerIndex> ledger = ledger(earlier.id(), earlier.kind());
    if (ledger.isEmpty()) {
      requireHistory(earlier);
    }
    requireSame(write, ledger, earlier.version(), head);
    return ledger;
  }

  /**
   * A ledger that was lost belongs to a recent commit, which the job most likely repeats. One that
   * vacuum removed is older than every repetition that is to be expected.
   */
  private void requireHistory(LoggedCommit earlier) throws IOException, InterruptedException {
    // Vacuum moves the history in the head before it removes a ledger.
    Optional<Head> now = context.heads().read().head();
    if (now.isPresent() && earlier.version() < now.get().historyFrom()) {
      throw TokenErrors.ofEndedHistory(
          earlier.token(), earlier.id().folder(), context.paths().root(), earlier.version());
    }
  }

  /**
   * It is another write if it has another kind, replaces other folders, or is made by something
   * that does not repeat the earlier one. A program repeats only the commits that it names.
   */
  private void requireSame(Write write, Optional<LedgerIndex> earlier, long version, Head head)
      throws IOException, InterruptedException {
    if (earlier.isEmpty()) {
      return;
    }
    LedgerIndex other = earlier.get();
    String token = write.token();
    String commit = other.id().folder();
    Location table = context.paths().root();
    boolean created = write.repeats().creation() && isOfWholeTable(other) && isFirst(version, head);
    if (!created && !hasSameEffect(write, other)) {
      throw TokenErrors.ofAnotherWrite(
          token,
          commit,
          table,
          describe(other.kind(), other.scope()),
          describe(write.kind(), write.scope()));
    }
    if (write.application().isEmpty()
        || other.application().isEmpty()
        || write.repeats().attempts().contains(other.id().id())) {
      return;
    }
    Application own = Application.parse(write.application());
    Application before = Application.parse(other.application());
    if (own.mayRepeat(before)) {
      return;
    }
    throw own.isOfStream() && !own.isSameBatch(before)
        ? TokenErrors.ofAnotherBatch(token, commit, table, before.describe(), own.describe())
        : TokenErrors.ofThisApplication(token, commit, table);
  }

  /** Both name the folder of their statement, and one of them may name other folders too. */
  private static boolean hasSameEffect(Write write, LedgerIndex other) {
    Set<String> earlier = inTable(other.scope());
    Set<String> now = inTable(write.scope());
    return other.kind() == write.kind() && (earlier.containsAll(now) || now.containsAll(earlier));
  }

  /**
   * Whether no commit before this version wrote rows, so that it may have created the table. The
   * first version of a snapshot table is an adoption. Requests: for version 2 of a listing table, 1
   * GET for each checkpoint when the head's log no longer names version 1.
   */
  private boolean isFirst(long version, Head head) throws IOException, InterruptedException {
    if (version != 2 || head.readers() == Readers.SNAPSHOT) {
      return version <= 2;
    }
    return new History(context)
        .known(head).stream().anyMatch(it -> it.version() == 1 && it.kind() == CommitKind.ADOPT);
  }

  /** Whether a commit has the kind by which Spark writes a table that it creates. */
  private static boolean isOfWholeTable(LedgerIndex commit) {
    return commit.kind() == CommitKind.DYNAMIC
        || commit.kind() == CommitKind.STATIC && commit.scope().contains("");
  }

  /**
   * The folders of a scope that are in the table. A static overwrite by name also replaces
   * partitions that the catalog has in other folders, inside or outside the table's. Spark removes
   * them from the catalog when their rows are gone, so a repetition does not name them.
   */
  private static Set<String> inTable(List<String> scope) {
    if (scope.contains("")) {
      return Set.of("");
    }
    Set<String> named =
        scope.stream()
            .filter(folder -> !RecordNames.isOutside(folder))
            .collect(Collectors.toUnmodifiableSet());
    return named.isEmpty() ? Set.copyOf(scope) : named;
  }

  /** A commit without a ledger keeps its token, but what it wrote is not known. */
  private Optional<LedgerIndex> ledger(CommitId id, CommitKind kind)
      throws IOException, InterruptedException {
    return StoredLedger.find(context, id, kind).map(StoredLedger::index);
  }

  private static String describe(CommitKind kind, List<String> scope) {
    String name = Labels.of(kind);
    return scope.isEmpty() ? "of the kind " + name : "of the kind " + name + " over " + scope;
  }
}
