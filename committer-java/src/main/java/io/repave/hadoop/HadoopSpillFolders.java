package io.repave.hadoop;

import io.repave.hadoop.upload.SpillFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.LocalDirAllocator;

/** The spill folders that the settings or Hadoop's configuration name. */
final class HadoopSpillFolders {
  private static final String BUFFER_DIR = "buffer.dir";

  private HadoopSpillFolders() {}

  /** The configured folder; otherwise the buffer folders of S3A for this bucket, in turn. */
  static SpillFolders of(Configuration conf, String bucket, String folder) {
    if (!folder.isEmpty()) {
      return bytes -> Files.createDirectories(Path.of(folder));
    }
    String key = new BucketOptions(conf, bucket).key(BUFFER_DIR);
    if (conf.getTrimmed(key, "").isEmpty()) {
      return bytes -> Path.of(System.getProperty("java.io.tmpdir"));
    }
    LocalDirAllocator allocator = new LocalDirAllocator(key);
    return bytes -> Path.of(allocated(allocator, key, bytes, conf).toUri().getPath()).getParent();
  }

  private static org.apache.hadoop.fs.Path allocated(
      LocalDirAllocator allocator, String key, long bytes, Configuration conf) throws IOException {
    try {
      // Not its method for temporary files, which stay in a list until the JVM exits.
      return allocator.getLocalPathForWrite("repave-part", bytes, conf);
    } catch (IOException e) {
      throw SettingErrors.noSpillFolder(key, conf.get(key), e);
    }
  }
}
