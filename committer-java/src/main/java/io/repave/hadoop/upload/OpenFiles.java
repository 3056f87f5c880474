package io.repave.hadoop.upload;

import io.repave.core.store.Location;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The files that task attempts of this JVM are writing, by their exact place. A writer that Hadoop
 * gives nothing but a path finds its attempt here; names are unique, so no two attempts can meet.
 */
public final class OpenFiles {
  /** The one of this JVM: file systems are made by Hadoop, which passes nothing along. */
  public static final OpenFiles JVM = new OpenFiles();

  private final Map<Location, TaskFile> files = new ConcurrentHashMap<>();
  private final Map<Location, TaskAttempt> folders = new ConcurrentHashMap<>();

  public Optional<TaskFile> find(Location at) {
    return Optional.ofNullable(files.get(at));
  }

  /** The file to be created here; one that is created in a work folder is announced by that. */
  public Optional<TaskFile> create(Location at) throws IOException {
    for (Map.Entry<Location, TaskAttempt> folder : folders.entrySet()) {
      if (folder.getKey().holds(at) && !files.containsKey(at)) {
        files.put(at, folder.getValue().announceWork(folder.getKey().relative(at)));
      }
    }
    return find(at);
  }

  /** The attempt that works in this folder; engines ask for it from more than one place. */
  public Optional<TaskAttempt> attempt(Location folder) {
    return Optional.ofNullable(folders.get(folder));
  }

  /** How many files are announced and not yet committed or aborted. */
  public int size() {
    return files.size();
  }

  void add(TaskFile file) {
    if (files.putIfAbsent(file.at(), file) != null) {
      throw new IllegalStateException(
          file.at() + " was announced twice. File names must be unique per task attempt.");
    }
  }

  void add(Location folder, TaskAttempt attempt) {
    folders.put(folder, attempt);
  }

  void remove(TaskFile file) {
    files.remove(file.at(), file);
  }

  void remove(Location folder) {
    folders.remove(folder);
    files.keySet().removeIf(folder::holds);
  }
}
