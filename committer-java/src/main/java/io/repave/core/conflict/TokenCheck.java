package io.repave.core.conflict;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.StoredLedger;
import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.RecordCodec;
import io.repave.core.record.TokenJson;
import io.repave.core.store.Location;
import io.repave.core.store.StoredObject;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Which commit a token stands for. A token names one write, however often that is tried. */
public final class TokenCheck {
  private final TableContext context;

  public TokenCheck(TableContext context) {
    this.context = context;
  }

  /** The published commit that had a token: 1 GET unless the head names it. */
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
    Optional<StoredObject> stored =
        context.retry().known(() -> context.store().read(at, RecordCodec.BYTES_MAX));
    if (stored.isEmpty()) {
      return Optional.empty();
    }
    LoggedCommit commit = TokenJson.read(stored.get().content(), at.toString());
    if (!commit.token().equals(token)) {
      throw new InvalidRecordException(
          "The record " + at + " is that of another token. Nothing was published; remove it.");
    }
    return Optional.of(commit);
  }

  /**
   * Refuses a job, before its tasks, whose token stands for another write: its rows would be taken
   * for written. A write is another one if it is of another kind, replaces other folders, or is of
   * the same program, which knows that it has done the first. 2 GETs at most.
   */
  public void requireFree(CommitRequest request, Optional<Head> head)
      throws IOException, InterruptedException {
    if (request.token().isEmpty() || head.isEmpty()) {
      return;
    }
    Optional<LedgerIndex> earlier = earlier(request.token(), head.get());
    if (earlier.isEmpty()) {
      return;
    }
    LedgerIndex other = earlier.get();
    if (other.kind() != request.kind()
        || !Set.copyOf(other.scope()).equals(Set.copyOf(request.scope()))) {
      throw used(request, other, "is " + words(other) + ", and this job is " + words(request));
    }
    boolean own = !request.application().isEmpty();
    if (own && request.application().equals(other.application())) {
      throw used(request, other, "was made by this application, which wants to use it again");
    }
  }

  private Optional<LedgerIndex> earlier(String token, Head head)
      throws IOException, InterruptedException {
    for (ActiveCommit commit : head.active()) {
      if (commit.token().equals(token)) {
        return ledger(commit.id(), commit.kind());
      }
    }
    Optional<LoggedCommit> commit = published(token, head);
    return commit.isPresent() ? ledger(commit.get().id(), commit.get().kind()) : Optional.empty();
  }

  /** Without its ledger nobody can tell what a commit was; it keeps its token all the same. */
  private Optional<LedgerIndex> ledger(CommitId id, CommitKind kind)
      throws IOException, InterruptedException {
    try {
      return Optional.of(StoredLedger.open(context, id, kind).index());
    } catch (InvalidRecordException lost) {
      return Optional.empty();
    }
  }

  private InvalidConfigException used(CommitRequest request, LedgerIndex other, String why) {
    return new InvalidConfigException(
        "The token '"
            + request.token()
            + "' stands for commit "
            + other.id().folder()
            + " of the table "
            + context.paths().root()
            + ", which "
            + why
            + ". A token (repave.token) names one write. Nothing was written. Give this write a"
            + " token of its own, or set repave.run for the whole session instead.");
  }

  private static String words(LedgerIndex index) {
    return words(index.kind(), index.scope());
  }

  private static String words(CommitRequest request) {
    return words(request.kind(), request.scope());
  }

  private static String words(CommitKind kind, List<String> scope) {
    String name = kind.name().toLowerCase(Locale.ROOT);
    return scope.isEmpty() ? "of the kind " + name : "of the kind " + name + " over " + scope;
  }
}
