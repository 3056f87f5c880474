package io.repave.hadoop.upload;

import io.repave.core.store.Content;
import io.repave.hadoop.runtime.DeletedAtExit;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** A part on local disk, because memory had no room for it. It is read back to be sent. */
final class DiskPart implements Part {
  private final UploadMemory memory;
  private final Path file;
  private final int bytes;
  private boolean inMemory;
  private Segments segments = new Segments();

  DiskPart(UploadMemory memory, Path file, int bytes) {
    this.memory = memory;
    this.file = file;
    this.bytes = bytes;
  }

  @Override
  public int bytes() {
    return bytes;
  }

  @Override
  public Content view() throws IOException {
    if (!inMemory) {
      memory.takeLoaded(bytes);
      inMemory = true;
    }
    if (segments.filled() < bytes) {
      segments = read();
    }
    return Content.of(segments.views());
  }

  private Segments read() throws IOException {
    Segments read = new Segments();
    try (InputStream in = Files.newInputStream(file)) {
      while (read.filled() < bytes) {
        if (read.room() == 0) {
          read.grow(read.nextBytes(bytes));
        }
        if (!read.readFrom(in)) {
          throw UploadErrors.spilledPartIsShort(file, read.filled(), bytes);
        }
      }
    }
    return read;
  }

  @Override
  public byte[] read(int from, int length) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      ByteBuffer read = ByteBuffer.allocate(length);
      while (read.hasRemaining()) {
        if (channel.read(read, (long) from + read.position()) < 0) {
          throw UploadErrors.spilledPartIsShort(file, from + read.position(), bytes);
        }
      }
      return read.array();
    }
  }

  @Override
  public void release() {
    if (inMemory) {
      memory.giveLoaded(bytes);
      segments = null;
    }
    DeletedAtExit.delete(file);
  }
}
