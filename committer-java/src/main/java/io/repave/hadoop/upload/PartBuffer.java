package io.repave.hadoop.upload;

import io.repave.hadoop.runtime.DeletedAtExit;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Collects the bytes of one part after another. It starts small and grows, so that a small file
 * takes little memory. When the upload memory is full and no running upload will free some, the
 * part moves to local disk.
 */
final class PartBuffer {
  private final UploadMemory memory;
  private final int partBytes;
  private final SpillFolders folders;
  private Segments segments = new Segments();
  private int filled;
  private Path file;
  private OutputStream onDisk;

  PartBuffer(UploadMemory memory, int partBytes, SpillFolders folders) {
    this.memory = memory;
    this.partBytes = partBytes;
    this.folders = folders;
  }

  int room() {
    return partBytes - filled;
  }

  /** Adds bytes, at most {@link #room}. */
  void write(byte[] from, int offset, int length) throws IOException {
    int done = 0;
    while (done < length) {
      if (onDisk == null && segments.room() == 0) {
        grow();
      }
      int step = length - done;
      if (onDisk == null) {
        step = Math.min(step, segments.room());
        segments.write(from, offset + done, step);
      } else {
        onDisk.write(from, offset + done, step);
      }
      done += step;
      filled += step;
    }
  }

  /** Returns the content as a part, and starts the next part. */
  Part seal() throws IOException {
    Part part;
    if (onDisk == null) {
      part = new MemoryPart(memory, segments);
    } else {
      onDisk.close();
      part = new DiskPart(memory, file, filled);
    }
    reset();
    return part;
  }

  void discard() {
    memory.giveHeld(segments.capacity());
    Path left = file;
    OutputStream open = onDisk;
    reset();
    if (left != null) {
      try (open) {
        DeletedAtExit.delete(left);
      } catch (IOException e) {
        // The bytes that could not be written are not needed.
      }
    }
  }

  private void reset() {
    segments = new Segments();
    filled = 0;
    file = null;
    onDisk = null;
  }

  private void grow() throws IOException {
    int size = segments.nextBytes(partBytes);
    if (memory.take(size)) {
      segments.grow(size);
    } else {
      spill();
    }
  }

  private void spill() throws IOException {
    file = Files.createTempFile(folders.folder(partBytes), "repave-part-", ".tmp");
    // An executor that ends while tasks write would leave gigabytes behind.
    DeletedAtExit.add(file);
    onDisk = new BufferedOutputStream(Files.newOutputStream(file));
    for (ByteBuffer each : segments.views()) {
      onDisk.write(each.array(), 0, each.remaining());
    }
    memory.giveHeld(segments.capacity());
    segments = new Segments();
  }
}
