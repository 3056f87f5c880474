package io.repave.hadoop;

import java.io.IOException;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * A file system that refuses every change and says where to write instead. The one exception is a
 * file that a task of this JVM is writing.
 */
abstract class ReadOnlyFileSystem extends FileSystem {
  /** Whether a task of this JVM has announced this file. */
  abstract boolean isBeingWritten(Path path);

  @Override
  public boolean hasPathCapability(Path path, String capability) throws IOException {
    return capability.equals(CommonPathCapabilities.FS_READ_ONLY_CONNECTOR)
        || super.hasPathCapability(path, capability);
  }

  @Override
  public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) {
    throw FileSystemErrors.readOnly("append to", path);
  }

  @Override
  public boolean rename(Path source, Path target) {
    throw FileSystemErrors.readOnly("rename", source);
  }

  /** Only for nothing: a catalog deletes the folder of a partition whose rows are dropped. */
  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    if (exists(path)) {
      throw FileSystemErrors.notDeleted(path);
    }
    return false;
  }

  /**
   * Does nothing, because the store has no folders. A Hive metastore creates the folder of each
   * table and partition that it adds, and treats a refusal as a failure.
   */
  @Override
  public boolean mkdirs(Path path, FsPermission permission) {
    checkPath(path);
    return true;
  }

  @Override
  public void concat(Path target, Path[] sources) {
    throw FileSystemErrors.readOnly("concatenate to", target);
  }

  @Override
  public boolean truncate(Path path, long length) {
    throw FileSystemErrors.readOnly("truncate", path);
  }

  /** Hadoop's own method accepts the path now and fails when the file system is closed. */
  @Override
  public boolean deleteOnExit(Path path) {
    throw FileSystemErrors.readOnly("delete", path);
  }

  @Override
  public void setWorkingDirectory(Path folder) {
    throw FileSystemErrors.readOnly("work in", folder);
  }

  // Hadoop's own implementation of the next four methods does nothing and succeeds. It does so here
  // for a file that a task is writing, because some writers call them after create.

  @Override
  public void setPermission(Path path, FsPermission permission) {
    requireBeingWritten("set permissions of", path);
  }

  @Override
  public void setOwner(Path path, String user, String group) {
    requireBeingWritten("set the owner of", path);
  }

  @Override
  public void setTimes(Path path, long modified, long accessed) {
    requireBeingWritten("set times of", path);
  }

  @Override
  public boolean setReplication(Path path, short replication) {
    requireBeingWritten("set the replication of", path);
    return true;
  }

  private void requireBeingWritten(String what, Path path) {
    if (!isBeingWritten(path)) {
      throw FileSystemErrors.readOnly(what, path);
    }
  }
}
