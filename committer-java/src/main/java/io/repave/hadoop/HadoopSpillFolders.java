package io.repave.hadoop;

import io.repave.hadoop.upload.SpillFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.LocalDirAllocator;

/** The spill folders that the settings or Hadoop's configuration name. */
final class HadoopSpillFolders {
  private static final String BUFFER_DIR = "fs.s3a.buffer.dir";

  private HadoopSpillFolders() {}

  /** The configured folder; otherwise the buffer folders of S3A, in turn. */
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
      // Not its method for temporary files, which stay in a list until the JVM exits.
      return allocator.getLocalPathForWrite("repave-part", bytes, conf);
    } catch (IOException e) {
      throw SettingErrors.noSpillFolder(BUFFER_DIR, conf.get(BUFFER_DIR), e);
    }
  }
}
