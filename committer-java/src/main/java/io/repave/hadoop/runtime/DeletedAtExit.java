package io.repave.hadoop.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The temporary files of this JVM, which it deletes when it exits. Java's own list of such files
 * keeps every path for the life of the JVM.
 */
public final class DeletedAtExit {
  private static final Set<Path> FILES = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> FILES.forEach(DeletedAtExit::delete)));
  }

  private DeletedAtExit() {}

  public static void add(Path file) {
    FILES.add(file);
  }

  /** Deletes a file now. One that cannot be deleted is tried again at the exit. */
  public static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
      FILES.remove(file);
    } catch (IOException left) {
      // At the exit nothing else can be done: the system cleans up its temporary files.
    }
  }
}
