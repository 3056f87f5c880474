package io.repave.core.scenario;

import io.repave.core.record.CommitKind;
import io.repave.core.record.Footprint;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What a job writes: a file for each mention of a folder. */
record Written(
    String commit, CommitKind kind, List<String> folders, List<String> scope, String token) {

  /** The folders whose earlier files it replaces. */
  Footprint replaced() {
    return Footprint.replaced(kind, folders, scope);
  }

  /** Its files, as {@code partition|name without attempt}. */
  Set<String> files() {
    Set<String> files = new TreeSet<>();
    for (int i = 0; i < folders.size(); i++) {
      files.add(folders.get(i) + "|" + String.format("part-%05d-", i) + commit);
    }
    return files;
  }

  /** The partition of a file. */
  static String partition(String file) {
    return file.substring(0, file.indexOf('|'));
  }

  /** A key below a folder as {@code partition|name without attempt}. */
  static String shown(String path) {
    int slash = path.lastIndexOf('/');
    return shown(path.substring(0, Math.max(0, slash)), path.substring(slash + 1));
  }

  static String shown(String partition, String name) {
    int attempt = name.indexOf("-1.c000");
    return partition + "|" + (attempt < 0 ? name : name.substring(0, attempt));
  }
}
