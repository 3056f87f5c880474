package io.repave.hadoop;

import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.hadoop.read.StorePath;
import io.repave.testing.Unchecked;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/** {@code memory://bucket/key}: a read-only Hadoop file system over an object store, for tests. */
public final class MemoryFileSystem extends FileSystem {
  static volatile ObjectStore store;
  private static final AtomicInteger OPENED = new AtomicInteger();
  private static volatile Unchecked.Action opening = () -> {};

  private URI uri;
  private boolean isClosed;

  public static Configuration conf(ObjectStore over) {
    store = over;
    OPENED.set(0);
    opening = () -> {};
    Configuration conf = new Configuration(false);
    conf.set("fs.memory.impl", MemoryFileSystem.class.getName());
    conf.set("fs.memory.impl.disable.cache", "true");
    conf.set("repave.store.scheme", "memory");
    return conf;
  }

  /** Runs while the next ones are opened. */
  static void whileOpening(Unchecked.Action action) {
    opening = action;
  }

  /** How many were opened since the configuration was made. */
  static int opened() {
    return OPENED.get();
  }

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    setConf(conf);
    OPENED.incrementAndGet();
    Unchecked.run(opening);
    uri = URI.create("memory://" + name.getAuthority());
  }

  @Override
  public URI getUri() {
    return uri;
  }

  @Override
  public void close() throws IOException {
    super.close();
    isClosed = true;
  }

  private void requireOpen() throws IOException {
    if (isClosed) {
      throw new IOException("Filesystem closed");
    }
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    requireOpen();
    byte[] content =
        store
            .read(StorePath.location(path), Long.MAX_VALUE)
            .orElseThrow(() -> new FileNotFoundException(path.toString()))
            .content();
    return new FSDataInputStream(new ByteArrayInput(content));
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    requireOpen();
    Location at = StorePath.location(path);
    Optional<ListedObject> file = at.key().isEmpty() ? Optional.empty() : store.head(at);
    if (file.isPresent()) {
      return new FileStatus(file.get().bytes(), false, 1, 1 << 20, 0, path);
    }
    if (store.list(at, "").objects().isEmpty()) {
      throw new FileNotFoundException(path.toString());
    }
    return new FileStatus(0, true, 0, 0, 0, path);
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    FileStatus itself = getFileStatus(path);
    if (itself.isFile()) {
      return new FileStatus[] {itself};
    }
    Location at = StorePath.location(path);
    List<FileStatus> children = new ArrayList<>();
    TreeSet<String> folders = new TreeSet<>();
    for (ListedObject object : store.list(at, "").objects()) {
      String rest = object.key().substring(at.prefix().length());
      int slash = rest.indexOf('/');
      Location child = at.resolve(slash < 0 ? rest : rest.substring(0, slash));
      Path shown = StorePath.path("memory", child);
      if (slash < 0) {
        children.add(new FileStatus(object.bytes(), false, 1, 1 << 20, 0, shown));
      } else if (folders.add(child.key())) {
        children.add(new FileStatus(0, true, 0, 0, 0, shown));
      }
    }
    return children.toArray(FileStatus[]::new);
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean rename(Path source, Path target) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean delete(Path path, boolean recursive) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void setWorkingDirectory(Path folder) {}

  @Override
  public Path getWorkingDirectory() {
    return new Path(uri + "/");
  }
}
