package io.repave.hadoop;

import io.repave.core.store.Scratch;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Scratch on the local disk, where the JVM keeps its temporary files. */
final class TemporaryFile implements Scratch.TempFile {
  private final Path path;

  TemporaryFile() throws IOException {
    path = Files.createTempFile("repave-", ".files");
    // A driver that dies leaves no file: closing deletes it, and so does the end of the JVM.
    path.toFile().deleteOnExit();
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
    Files.deleteIfExists(path);
  }
}
