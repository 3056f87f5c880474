package io.repave.hadoop.parquet;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;

/** A file in memory with a bound. */
public final class MemoryFile implements OutputFile {
  private final int bytesMax;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /** A file of at most so many bytes; a larger one is refused while it is written. */
  public MemoryFile(int bytesMax) {
    this.bytesMax = bytesMax;
  }

  public byte[] content() {
    return bytes.toByteArray();
  }

  @Override
  public PositionOutputStream create(long blockSizeHint) {
    return new PositionOutputStream() {
      @Override
      public long getPos() {
        return bytes.size();
      }

      @Override
      public void write(int b) throws IOException {
        requireRoom(1);
        bytes.write(b);
      }

      @Override
      public void write(byte[] from, int offset, int length) throws IOException {
        requireRoom(length);
        bytes.write(from, offset, length);
      }
    };
  }

  private void requireRoom(int more) throws IOException {
    if (more > bytesMax - bytes.size()) {
      throw new IOException("The file is larger than " + bytesMax + " bytes.");
    }
  }

  @Override
  public PositionOutputStream createOrOverwrite(long blockSizeHint) {
    return create(blockSizeHint);
  }

  @Override
  public boolean supportsBlockSize() {
    return false;
  }

  @Override
  public long defaultBlockSize() {
    return 0;
  }
}
