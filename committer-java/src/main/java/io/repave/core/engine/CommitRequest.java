package io.repave.core.engine;

import io.repave.core.ledger.LedgerSummary;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.LedgerIndex;
import java.util.List;

/**
 * What a job wants to commit.
 *
 * @param commit unique for all time and part of the names of the commit's files: a UUID, by which
 *     vacuum recognizes them
 * @param scope the folders that a static overwrite replaces, in the form of {@link
 *     io.repave.core.record.TablePaths#partition}
 * @param token text that identifies the write, so that it is committed only once however often it
 *     is tried; "" for none
 * @param application the program that writes; "" when the program may repeat a write by itself
 * @param program the program that writes, also when it may repeat a write by itself; "" when it is
 *     not known. It is not recorded
 * @param marker the path of {@code _SUCCESS} in the table; "" for none
 * @param repeats the earlier writes that this one may repeat, although they look like other ones
 * @param within folders that a dynamic overwrite stays inside, as far as they are known before its
 *     tasks run; empty when they are not known
 * @param guards what the job must not do, or it fails
 */
public record CommitRequest(
    String commit,
    CommitKind kind,
    List<String> scope,
    String token,
    String application,
    String program,
    Repeats repeats,
    String marker,
    List<String> within,
    DeliveryGuards guards) {
  public CommitRequest {
    scope = List.copyOf(scope);
    within = List.copyOf(within);
  }

  /** A job without the name of its program. */
  public CommitRequest(
      String commit, CommitKind kind, List<String> scope, String token, String marker) {
    this(commit, kind, scope, token, "", marker);
  }

  /** A job that does not know its folders before its tasks run. */
  public CommitRequest(
      String commit,
      CommitKind kind,
      List<String> scope,
      String token,
      String application,
      String marker) {
    this(
        commit,
        kind,
        scope,
        token,
        application,
        application,
        Repeats.NONE,
        marker,
        List.of(),
        DeliveryGuards.NONE);
  }

  /** The first record of its commit, with its files inside; {@code target} is a rollback's. */
  public LedgerIndex index(CommitId id, LedgerSummary summary, long target) {
    return new LedgerIndex(id, kind, scope, token, application, marker, summary, target, 0);
  }

  /** The same job, which stays inside these folders. */
  public CommitRequest within(List<String> folders) {
    return new CommitRequest(
        commit, kind, scope, token, application, program, repeats, marker, folders, guards);
  }

  /** The same job with these guards. */
  public CommitRequest guardedBy(DeliveryGuards now) {
    return new CommitRequest(
        commit, kind, scope, token, application, program, repeats, marker, within, now);
  }

  /** The same job, which tries again what these commits of its application tried. */
  public CommitRequest after(List<String> earlier) {
    return repeating(repeats.after(earlier));
  }

  /** The same append, which overwrites the whole table when the table is absent. */
  public CommitRequest ofCreation() {
    return repeating(repeats.ofCreation());
  }

  private CommitRequest repeating(Repeats now) {
    return new CommitRequest(
        commit, kind, scope, token, application, program, now, marker, within, guards);
  }

  /** The same job of this program, which may repeat the write by itself. */
  public CommitRequest by(String running) {
    return new CommitRequest(
        commit, kind, scope, token, application, running, repeats, marker, within, guards);
  }
}
