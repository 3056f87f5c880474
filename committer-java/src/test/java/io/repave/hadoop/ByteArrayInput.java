package io.repave.hadoop;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.fs.Seekable;

/** Bytes that can be read from anywhere. */
final class ByteArrayInput extends ByteArrayInputStream implements Seekable, PositionedReadable {
  ByteArrayInput(byte[] content) {
    super(content);
  }

  @Override
  public void seek(long position) {
    pos = (int) position;
  }

  @Override
  public long getPos() {
    return pos;
  }

  @Override
  public boolean seekToNewSource(long position) {
    return false;
  }

  @Override
  public synchronized int read(long position, byte[] into, int offset, int length) {
    int before = pos;
    pos = (int) position;
    int read = read(into, offset, length);
    pos = before;
    return read;
  }

  @Override
  public void readFully(long position, byte[] into, int offset, int length) throws IOException {
    if (read(position, into, offset, length) < length) {
      throw new IOException("fewer bytes than asked for");
    }
  }

  @Override
  public void readFully(long position, byte[] into) throws IOException {
    readFully(position, into, 0, into.length);
  }
}
