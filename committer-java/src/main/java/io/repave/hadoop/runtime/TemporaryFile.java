package io.repave.hadoop.runtime;

import io.repave.core.store.Scratch;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Scratch space on the local disk, in the JVM's folder for temporary files. */
public final class TemporaryFile implements Scratch.TempFile {
  private final Path path;

  public TemporaryFile() throws IOException {
    path = Files.createTempFile("repave-", ".files");
    DeletedAtExit.add(path);
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
  public void close() {
    DeletedAtExit.delete(path);
  }
}
