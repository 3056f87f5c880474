package io.repave.hadoop;

import io.repave.hadoop.upload.SpillFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.LocalDirAllocator;

/** Local disk, as Hadoop is configured with it. */
final class LocalFolders {
  private static final String BUFFER_DIR = "fs.s3a.buffer.dir";

  private LocalFolders() {}

  /** The folder that is set; otherwise those where S3A buffers too, one after the other. */
  static SpillFolders of(Configuration conf, String folder) {
    if (!folder.isEmpty()) {
      return bytes -> Files.createDirectories(Path.of(folder));
    }
    if (conf.getTrimmed(BUFFER_DIR, "").isEmpty()) {
      return bytes -> Path.of(System.getProperty("java.io.tmpdir"));
    }
    LocalDirAllocator allocator = new LocalDirAllocator(BUFFER_DIR);
    return bytes -> Path.of(allocated(allocator, bytes, conf).toUri().getPath()).getParent();
  }

  private static org.apache.hadoop.fs.Path allocated(
      LocalDirAllocator allocator, long bytes, Configuration conf) throws IOException {
    try {
      // Not its temporary files: each would stay in a list of the JVM until that ends.
      return allocator.getLocalPathForWrite("repave-part", bytes, conf);
    } catch (IOException e) {
      throw new IOException(
          "A part of a file found no memory, and none of the folders of "
              + BUFFER_DIR
              + " ("
              + conf.get(BUFFER_DIR)
              + ") has room for it. Make room there, set repave.upload.spill to another folder, or"
              + " raise repave.upload.memory.",
          e);
    }
  }
}
