package io.repave.hadoop.upload;

import io.repave.core.store.Location;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The files that task attempts of this JVM are writing, by their exact location. Hadoop gives a
 * writer only a path, and this registry finds the attempt for it. Names are unique, so two attempts
 * never share a file.
 */
public final class OpenFiles {
  /** The registry of this JVM. Hadoop creates file systems itself, so none can be passed in. */
  public static final OpenFiles JVM = new OpenFiles();

  private final Map<Location, TaskFile> files = new ConcurrentHashMap<>();
  private final Map<Location, TaskAttempt> folders = new ConcurrentHashMap<>();

  public Optional<TaskFile> find(Location at) {
    return Optional.ofNullable(files.get(at));
  }

  /** The file to be created here. Creating a file in a work folder announces it. */
  public Optional<TaskFile> create(Location at) throws IOException {
    for (Map.Entry<Location, TaskAttempt> folder : folders.entrySet()) {
      if (folder.getKey().holds(at) && !files.containsKey(at)) {
        files.put(at, folder.getValue().announceWork(folder.getKey().relative(at)));
      }
    }
    return find(at);
  }

  /** The attempt with this work folder. Several committers of one task share it. */
  public Optional<TaskAttempt> attempt(Location folder) {
    return Optional.ofNullable(folders.get(folder));
  }

  /** How many files are announced and not yet committed or aborted. */
  public int size() {
    return files.size();
  }

  void add(TaskFile file) {
    if (files.putIfAbsent(file.at(), file) != null) {
      throw UploadErrors.announcedTwice(file.at());
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
