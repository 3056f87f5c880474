package io.repave.hadoop.contract;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/** Reads by {@code repave://} and writes by {@code s3a://}, for tests that create files. */
final class ReadThroughRepave extends FilterFileSystem {
  private final FileSystem store;

  ReadThroughRepave(FileSystem repave, FileSystem store) {
    super(repave);
    this.store = store;
  }

  private Path real(Path path) {
    URI uri = makeQualified(path).toUri();
    return new Path("s3a", uri.getAuthority(), uri.getPath());
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    return store.create(
        real(path), permission, overwrite, bufferSize, replication, blockSize, progress);
  }

  @Override
  public FSDataOutputStreamBuilder<?, ?> createFile(Path path) {
    return store.createFile(real(path));
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    return store.mkdirs(real(path), permission);
  }

  @Override
  public boolean mkdirs(Path path) throws IOException {
    return store.mkdirs(real(path));
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    return store.delete(real(path), recursive);
  }

  @Override
  public boolean rename(Path source, Path target) throws IOException {
    return store.rename(real(source), real(target));
  }
}
