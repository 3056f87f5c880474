package io.repave.sim;

import io.repave.core.engine.CommitRequest;
import io.repave.core.record.CommitKind;
import io.repave.testing.CommitNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** A job of a simulation: its files, one attempt each, and which live files it replaces. */
record JobSpec(String commit, CommitKind kind, String token, List<String> files) {

  /** {@code word} names the commit. Each mention of a partition is one file. */
  static JobSpec of(String word, CommitKind kind, String token, String... partitions) {
    String commit = CommitNames.id(word);
    List<String> files = new ArrayList<>();
    for (String partition : partitions) {
      files.add(
          (partition.isEmpty() ? "" : partition + "/")
              + "part-%05d-%s-1.parquet".formatted(files.size(), commit));
    }
    return new JobSpec(commit, kind, token, files);
  }

  /** The request of this job; {@code marker} is its success marker, "" for none. */
  CommitRequest request(String marker) {
    return new CommitRequest(commit, kind, scope(), token, marker);
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

  static String folder(String key) {
    return key.lastIndexOf('/') < 0 ? "" : key.substring(0, key.lastIndexOf('/'));
  }

  static String name(String key) {
    return key.substring(key.lastIndexOf('/') + 1);
  }
}
