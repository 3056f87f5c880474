package io.repave.core.engine;

import io.repave.core.record.CommitKind;
import java.util.List;

/**
 * What a job is going to do. {@code commit} is unique for ever and part of its files' names: a
 * UUID, by which vacuum tells them from other writers' files. {@code scope} holds the folders that
 * a static overwrite replaces, as {@link io.repave.core.record.TablePaths#partition} calls them;
 * {@code token} is "" or text that stands for the work itself, so that it is done once however
 * often it is tried; {@code application} is the program that writes, "" when it may repeat a write
 * by itself; {@code marker} is where {@code _SUCCESS} goes inside the table, "" for nowhere; {@code
 * within} holds folders that a dynamic overwrite stays inside, as far as it is known before its
 * tasks run, and is empty when it is not.
 */
public record CommitRequest(
    String commit,
    CommitKind kind,
    List<String> scope,
    String token,
    String application,
    String marker,
    List<String> within) {
  public CommitRequest {
    scope = List.copyOf(scope);
    within = List.copyOf(within);
  }

  /** A job of a program that has no name. */
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
    this(commit, kind, scope, token, application, marker, List.of());
  }

  /** The same job, which stays inside these folders. */
  public CommitRequest within(List<String> folders) {
    return new CommitRequest(commit, kind, scope, token, application, marker, folders);
  }
}
