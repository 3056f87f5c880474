package io.repave.core.engine;

import io.repave.core.record.CommitKind;
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
 * @param marker the path of {@code _SUCCESS} in the table; "" for none
 */
public record CommitRequest(
    String commit,
    CommitKind kind,
    List<String> scope,
    String token,
    String application,
    String marker) {
  public CommitRequest {
    scope = List.copyOf(scope);
  }

  /** A job without the name of its program. */
  public CommitRequest(
      String commit, CommitKind kind, List<String> scope, String token, String marker) {
    this(commit, kind, scope, token, "", marker);
  }
}
