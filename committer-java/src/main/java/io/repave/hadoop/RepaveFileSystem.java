package io.repave.hadoop;

import io.repave.core.engine.Progress;
import io.repave.core.store.Location;
import io.repave.hadoop.read.EngineRecords;
import io.repave.hadoop.read.StorePath;
import io.repave.hadoop.read.TableRecords;
import io.repave.hadoop.read.VersionCache;
import io.repave.hadoop.read.VersionFiles;
import io.repave.hadoop.upload.OpenFiles;
import io.repave.hadoop.upload.TaskFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.EnumSet;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FutureDataInputStreamBuilder;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.impl.OpenFileParameters;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * {@code repave://bucket/path} over the real file system of the bucket. It reads tables by their
 * records, and creates the files that a task attempt of this JVM has announced. It refuses all
 * other changes.
 */
public final class RepaveFileSystem extends ReadOnlyFileSystem {
  public static final String SCHEME = "repave";

  /** What the text of each path begins with. */
  public static final String PREFIX = SCHEME + "://";

  private final OpenFiles open;
  private final BucketReads.RecordsSource recordsOf;
  private final VersionCache versions;
  private URI uri;
  private BucketReads reads;

  /** Called by Hadoop, for {@code fs.repave.impl}. */
  public RepaveFileSystem() {
    this(OpenFiles.JVM, RepaveFileSystem::engineRecords, VersionCache.JVM);
  }

  RepaveFileSystem(OpenFiles open, BucketReads.RecordsSource recordsOf, VersionCache versions) {
    this.open = open;
    this.recordsOf = recordsOf;
    this.versions = versions;
  }

  /** Whether this file system shows the path. A path without a scheme is of another one. */
  public static boolean isPath(Path path) {
    return isPath(path.toUri());
  }

  public static boolean isPath(URI path) {
    return SCHEME.equals(path.getScheme());
  }

  private static TableRecords engineRecords(Configuration conf, URI store) throws IOException {
    StoreAccess access = new StoreAccess(conf, store.getScheme(), store.getAuthority());
    return new EngineRecords(
        access.ports(access.store(), Progress.SILENT), access.engineSettings());
  }

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    setConf(conf);
    if (name.getAuthority() == null) {
      throw FileSystemErrors.noBucket(name);
    }
    uri = URI.create(PREFIX + name.getAuthority());
    String scheme = new RepaveSettings(conf).text(Setting.STORE_SCHEME);
    URI bucket = URI.create(scheme + "://" + name.getAuthority());
    reads = new BucketReads(bucket, conf, recordsOf, versions);
  }

  @Override
  public void close() throws IOException {
    try {
      super.close();
    } finally {
      if (reads != null) {
        reads.close();
      }
    }
  }

  @Override
  public String getScheme() {
    return SCHEME;
  }

  @Override
  public URI getUri() {
    return uri;
  }

  @Override
  public Path getWorkingDirectory() {
    return new Path(uri + "/");
  }

  @Override
  public long getDefaultBlockSize(Path path) {
    try {
      return reads.blockBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // Files that a task of this JVM writes.

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
    TaskFile file =
        open.create(announced(path)).orElseThrow(() -> FileSystemErrors.notCreated(path));
    return new FSDataOutputStream(file.open(), statistics);
  }

  @Override
  @Deprecated
  public FSDataOutputStream createNonRecursive(
      Path path,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    return create(path, permission, true, bufferSize, replication, blockSize, progress);
  }

  @Override
  boolean isBeingWritten(Path path) {
    return open.find(announced(path)).isPresent();
  }

  /** Spark asks for the size of each file that it writes. That must not cost a request. */
  private Optional<FileStatus> written(Path asked) throws IOException {
    Optional<TaskFile> file = open.find(StorePath.location(asked));
    return file.isEmpty()
        ? Optional.empty()
        : Optional.of(new FileStatus(file.get().bytes(), false, 1, reads.blockBytes(), 0, asked));
  }

  /** The location of a file that a task announced. A folder in its path may look like a pin. */
  private Location announced(Path path) {
    return StorePath.location(makeQualified(path));
  }

  // Tables, by their records.

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    Path asked = makeQualified(path);
    Optional<FileStatus> written = written(asked);
    return written.isPresent() ? written.get() : reads.current().status(asked);
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    Path asked = makeQualified(path);
    Optional<FileStatus> written = written(asked);
    return written.isPresent() ? new FileStatus[] {written.get()} : reads.current().list(asked);
  }

  @Override
  public RemoteIterator<LocatedFileStatus> listFiles(Path path, boolean recursive)
      throws IOException {
    return recursive && !isBeingWritten(path)
        ? reads.current().below(makeQualified(path))
        : super.listFiles(path, recursive);
  }

  @Override
  public FileStatus[] globStatus(Path pattern) throws IOException {
    return super.globStatus(pinned(pattern));
  }

  @Override
  public FileStatus[] globStatus(Path pattern, PathFilter filter) throws IOException {
    return super.globStatus(pinned(pattern), filter);
  }

  private Path pinned(Path pattern) throws IOException {
    return reads.current().pinned(makeQualified(pattern));
  }

  /** All files of the snapshot table in exactly this folder; empty for every other path. */
  public Optional<VersionFiles> version(Path folder) throws IOException {
    return reads.current().version(makeQualified(folder));
  }

  // The data of files.

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    return reads.current().files().open(makeQualified(path), bufferSize);
  }

  @Override
  public FutureDataInputStreamBuilder openFile(Path path) throws IOException {
    Optional<FutureDataInputStreamBuilder> own =
        reads.current().files().openFile(makeQualified(path));
    return own.isPresent() ? own.get() : super.openFile(path);
  }

  @Override
  protected CompletableFuture<FSDataInputStream> openFileWithOptions(
      Path path, OpenFileParameters asked) throws IOException {
    return reads.current().files().openFile(makeQualified(path), asked);
  }
}
