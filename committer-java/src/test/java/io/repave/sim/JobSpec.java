package io.repave.sim;

import io.repave.core.engine.CommitRequest;
import io.repave.core.ledger.PartFileName;
import io.repave.core.record.CommitKind;
import io.repave.testing.CommitNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** A job of a simulation: its files, one attempt each, and which live files it replaces. */
record JobSpec(
    String commit,
    CommitKind kind,
    String token,
    String application,
    List<String> attempts,
    List<String> files) {

  /** {@code word} names the commit. Each mention of a partition is one file. */
  static JobSpec of(String word, CommitKind kind, String token, String... partitions) {
    String commit = CommitNames.id(word);
    List<String> files = new ArrayList<>();
    for (String partition : partitions) {
      files.add(
          (partition.isEmpty() ? "" : partition + "/")
              + "part-%05d-%s-1.parquet".formatted(files.size(), commit));
    }
    return new JobSpec(commit, kind, token, "", List.of(), files);
  }

  /** The same job of a program; "" for one that may repeat its writes by itself. */
  JobSpec by(String program) {
    return new JobSpec(commit, kind, token, program, attempts, files);
  }

  /** The same job, which tries again what an earlier one of its program tried. */
  JobSpec after(JobSpec earlier) {
    return new JobSpec(commit, kind, token, application, List.of(earlier.commit), files);
  }

  /** True when this job may be the write of another one with its token. */
  boolean mayRepeat(JobSpec other) {
    return application.isEmpty()
        || !application.equals(other.application)
        || attempts.contains(other.commit);
  }

  /** The request of this job; {@code marker} is its success marker, "" for none. */
  CommitRequest request(String marker) {
    return new CommitRequest(commit, kind, scope(), token, application, marker).after(attempts);
  }

  List<String> scope() {
    return kind == CommitKind.STATIC ? List.of("") : List.of();
  }

  /** The keys that are live after this job when {@code live} are live before it. */
  Set<String> applied(Set<String> live) {
    Set<String> after = new TreeSet<>(live);
    if (kind == CommitKind.STATIC) {
      after.clear();
    }
    if (kind == CommitKind.DYNAMIC) {
      for (String file : files) {
        after.removeIf(key -> folder(key).equals(folder(file)));
      }
    }
    after.addAll(files);
    return after;
  }

  /** The same job on a table that a catalog follows: its files are in a folder of its own. */
  JobSpec inFolder() {
    String own = PartFileName.folderOf(commit) + "/";
    List<String> moved = new ArrayList<>();
    for (String file : files) {
      moved.add(folder(file) + "/" + own + name(file));
    }
    return new JobSpec(commit, kind, token, application, attempts, moved);
  }

  /** True when the files are in the folder of the commit. */
  boolean isInFolder() {
    return files.stream().anyMatch(file -> name(file).contains("/"));
  }

  /** The partition of a file, without the folder of its commit. */
  static String folder(String key) {
    String above = key.substring(0, Math.max(0, key.lastIndexOf('/')));
    int commit = above.lastIndexOf('/') + 1;
    return PartFileName.isFolder(above.substring(commit))
        ? above.substring(0, Math.max(0, commit - 1))
        : above;
  }

  /** The name of a file in its partition; it may be in the folder of its commit. */
  static String name(String key) {
    String folder = folder(key);
    return folder.isEmpty() ? key : key.substring(folder.length() + 1);
  }
}
