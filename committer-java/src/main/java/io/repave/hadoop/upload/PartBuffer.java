package io.repave.hadoop.upload;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Collects one part after the other. It starts small and doubles, so that a small file costs little
 * memory; when the JVM's share is used up and nothing is on its way back, the part goes to disk.
 */
final class PartBuffer {
  static final int FIRST_BYTES = 32 * 1024;

  private static final byte[] NOTHING = {};

  private final UploadMemory memory;
  private final int partBytes;
  private final Path folder;
  private byte[] content = NOTHING;
  private int filled;
  private Path file;
  private OutputStream onDisk;

  PartBuffer(UploadMemory memory, int partBytes, Path folder) {
    this.memory = memory;
    this.partBytes = partBytes;
    this.folder = folder;
  }

  boolean isEmpty() {
    return filled == 0;
  }

  int room() {
    return partBytes - filled;
  }

  /** Adds bytes, at most {@link #room}. */
  void write(byte[] from, int offset, int length) throws IOException {
    if (onDisk == null && filled + length > content.length) {
      grow(filled + length);
    }
    if (onDisk == null) {
      System.arraycopy(from, offset, content, filled, length);
    } else {
      onDisk.write(from, offset, length);
    }
    filled += length;
  }

  /** Hands the content over and starts the next part. */
  Part seal() throws IOException {
    Part part;
    if (onDisk == null) {
      part = new MemoryPart(memory, content, filled);
    } else {
      onDisk.close();
      part = new DiskPart(memory, file, filled);
    }
    reset();
    return part;
  }

  void discard() {
    memory.giveHeld(content.length);
    Path left = file;
    OutputStream open = onDisk;
    reset();
    if (left != null) {
      try (open) {
        Files.deleteIfExists(left);
      } catch (IOException e) {
        left.toFile().deleteOnExit();
      }
    }
  }

  private void reset() {
    content = NOTHING;
    filled = 0;
    file = null;
    onDisk = null;
  }

  private void grow(int needed) throws IOException {
    long doubled = Math.max(FIRST_BYTES, 2L * content.length);
    int size = (int) Math.min(partBytes, Math.max(needed, doubled));
    if (!memory.take(size)) {
      spill();
      return;
    }
    byte[] larger = Arrays.copyOf(content, size);
    memory.giveHeld(content.length);
    content = larger;
  }

  private void spill() throws IOException {
    Files.createDirectories(folder);
    file = Files.createTempFile(folder, "repave-part-", ".tmp");
    onDisk = new BufferedOutputStream(Files.newOutputStream(file));
    onDisk.write(content, 0, filled);
    memory.giveHeld(content.length);
    content = NOTHING;
  }
}
