package io.repave.sim;

import io.repave.core.engine.CommitRequest;
import io.repave.core.record.CommitKind;
import io.repave.testing.CommitNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** A job of a simulation: its files, one attempt each, and what it does with what is there. */
record JobSpec(String commit, CommitKind kind, String token, List<String> files) {

  /** {@code word} stands for the commit; {@code partitions}: one file for each mention. */
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

  /** The keys that are live after this job, if {@code live} were before it. */
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
