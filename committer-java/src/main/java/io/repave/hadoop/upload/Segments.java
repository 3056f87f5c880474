package io.repave.hadoop.upload;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The bytes of one part, in arrays that are small enough for every garbage collector. G1 gives
 * whole regions to an array that is at least half a region long. So an array of 8 MiB takes 9 MiB
 * with regions of 1 MiB, and 16 MiB with regions of 8 MiB. The arrays here are a little shorter
 * than a power of two, so that they and their headers fill a region without waste.
 */
final class Segments {
  private static final int HEADER_BYTES = 64;
  private static final int FIRST_BYTES = 32 * 1024;
  private static final int MOST_BYTES = 256 * 1024;

  private final List<byte[]> arrays = new ArrayList<>();
  private int capacity;
  private int filled;

  /** The size of the next array. The first ones are small, for small files. */
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

  /** Adds bytes of a stream, at most {@link #room}. Returns false at the end of the stream. */
  boolean readFrom(InputStream in) throws IOException {
    byte[] last = arrays.get(arrays.size() - 1);
    int read = in.read(last, last.length - room(), room());
    filled += Math.max(0, read);
    return read >= 0;
  }

  /** Some of the written bytes. */
  byte[] copy(int from, int length) {
    Objects.checkFromIndexSize(from, length, filled);
    byte[] copy = new byte[length];
    int skipped = 0;
    int done = 0;
    for (byte[] array : arrays) {
      int start = Math.max(0, from - skipped);
      int step = Math.min(length - done, array.length - start);
      if (step > 0) {
        System.arraycopy(array, start, copy, done, step);
        done += step;
      }
      skipped += array.length;
    }
    return copy;
  }

  /** The written bytes. */
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
