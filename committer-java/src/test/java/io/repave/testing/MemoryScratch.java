package io.repave.testing;

import io.repave.core.store.Scratch;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;

/** Scratch space in memory. */
public final class MemoryScratch implements Scratch.TempFile {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  @Override
  public OutputStream write() {
    return bytes;
  }

  @Override
  public InputStream read() {
    return new ByteArrayInputStream(bytes.toByteArray());
  }

  @Override
  public void close() {}
}
