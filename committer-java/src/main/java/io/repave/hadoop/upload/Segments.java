package io.repave.hadoop.upload;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of one part, in arrays that are small enough for every collector. G1 gives an array of
 * half a region or more whole regions of its own: one of 8 MiB takes 9 MiB where regions have 1
 * MiB, and 16 where they have 8. These are a little shorter than a power of two, so that with their
 * headers they fill a region and waste none of it.
 */
final class Segments {
  private static final int HEADER_BYTES = 64;
  private static final int FIRST_BYTES = 32 * 1024;
  private static final int MOST_BYTES = 256 * 1024;

  private final List<byte[]> arrays = new ArrayList<>();
  private int capacity;
  private int filled;

  /** The size of the array that comes next; a small file costs little. */
  int nextBytes(int most) {
    int size = Math.max(FIRST_BYTES, Math.min(MOST_BYTES, Integer.highestOneBit(capacity + 1)));
    return Math.min(size - HEADER_BYTES, most - capacity);
  }

  /** Adds an array of this size. */
  void grow(int bytes) {
    arrays.add(new byte[bytes]);
    capacity += bytes;
  }

  int room() {
    return capacity - filled;
  }

  int filled() {
    return filled;
  }

  /** The bytes of all arrays, filled or not. */
  int capacity() {
    return capacity;
  }

  /** Adds bytes to the last array, at most {@link #room}. */
  void write(byte[] from, int offset, int length) {
    byte[] last = arrays.get(arrays.size() - 1);
    System.arraycopy(from, offset, last, last.length - room(), length);
    filled += length;
  }

  /** Adds what a stream has ready, at most {@link #room}; false when it has ended. */
  boolean readFrom(InputStream in) throws IOException {
    byte[] last = arrays.get(arrays.size() - 1);
    int read = in.read(last, last.length - room(), room());
    filled += Math.max(0, read);
    return read >= 0;
  }

  /** What was written. */
  List<ByteBuffer> views() {
    List<ByteBuffer> views = new ArrayList<>(arrays.size());
    int left = filled;
    for (byte[] array : arrays) {
      int bytes = Math.min(left, array.length);
      views.add(ByteBuffer.wrap(array, 0, bytes));
      left -= bytes;
    }
    return views;
  }
}
