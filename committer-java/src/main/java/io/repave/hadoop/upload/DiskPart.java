package io.repave.hadoop.upload;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** A part that found no room in memory; it is read back when its turn to be sent has come. */
final class DiskPart implements Part {
  private final UploadMemory memory;
  private final Path file;
  private final int bytes;
  private byte[] content;

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
  public ByteBuffer view() throws IOException {
    if (content == null) {
      memory.takeMoving(bytes);
      content = new byte[0];
      byte[] read = Files.readAllBytes(file);
      if (read.length != bytes) {
        throw new IOException(
            file + " holds " + read.length + " bytes of a part, " + bytes + " were written to it.");
      }
      content = read;
    }
    return ByteBuffer.wrap(content);
  }

  @Override
  public void release() {
    if (content != null) {
      memory.giveMoving(bytes);
      content = null;
    }
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      file.toFile().deleteOnExit();
    }
  }
}
