package io.repave.hadoop.runtime;

import io.repave.core.store.Scratch;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Scratch space on the local disk, in the JVM's folder for temporary files. */
public final class TemporaryFile implements Scratch.TempFile {
  /** Java's own list of files to delete at the exit keeps every path for the life of the JVM. */
  private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> OPEN.forEach(TemporaryFile::delete)));
  }

  private final Path path;

  public TemporaryFile() throws IOException {
    path = Files.createTempFile("repave-", ".files");
    OPEN.add(path);
  }

  private static void delete(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException left) {
      // The system cleans up its folder for temporary files.
    }
  }

  @Override
  public OutputStream write() throws IOException {
    return Files.newOutputStream(path);
  }

  @Override
  public InputStream read() throws IOException {
    return Files.newInputStream(path);
  }

  @Override
  public void close() throws IOException {
    OPEN.remove(path);
    Files.deleteIfExists(path);
  }
}
