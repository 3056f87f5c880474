package io.repave.hadoop;

import io.repave.core.engine.Progress;
import io.repave.core.ledger.PartFileName;
import io.repave.core.store.Location;
import io.repave.hadoop.read.EngineRecords;
import io.repave.hadoop.read.StorePath;
import io.repave.hadoop.read.TableRecords;
import io.repave.hadoop.read.Views;
import io.repave.hadoop.upload.OpenFiles;
import io.repave.hadoop.upload.TaskFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.EnumSet;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FutureDataInputStreamBuilder;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * {@code repave://bucket/path} over the real file system of the bucket. It reads what a table's
 * records say, and creates the files that a task attempt of this JVM has announced; it changes
 * nothing else.
 */
public final class RepaveFileSystem extends FileSystem {
  public static final String SCHEME = "repave";

  private static final String WHERE_WRITES_GO =
      " Write to the table's own path, such as s3a://bucket/table, with"
          + " spark.sql.sources.commitProtocolClass=io.repave.spark.RepaveCommitProtocol.";

  private final OpenFiles open;
  private final RecordsSource recordsOf;
  private URI uri;
  private FileSystem store;
  private Views views;

  /** Where the records come from that this file system goes by. */
  interface RecordsSource {
    TableRecords open(Configuration conf, URI store) throws IOException;
  }

  /** Made by Hadoop, for {@code fs.repave.impl}. */
  public RepaveFileSystem() {
    this(OpenFiles.JVM, RepaveFileSystem::engineRecords);
  }

  RepaveFileSystem(OpenFiles open, RecordsSource recordsOf) {
    this.open = open;
    this.recordsOf = recordsOf;
  }

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    setConf(conf);
    if (name.getAuthority() == null) {
      throw new IOException(name + " names no bucket, as in repave://bucket/folder.");
    }
    uri = URI.create(SCHEME + "://" + name.getAuthority());
    String scheme = new RepaveSettings(conf).text(Setting.STORE_SCHEME);
    URI real = URI.create(scheme + "://" + name.getAuthority());
    store = FileSystem.get(real, conf);
    views = new Views(recordsOf.open(conf, real), store, SCHEME);
  }

  /** Closes what {@link #initialize} opened, unless it is Hadoop's, for all to use. */
  @Override
  public void close() throws IOException {
    try {
      super.close();
    } finally {
      if (store != null && SharedFileSystems.isCacheOff(store.getUri(), getConf())) {
        store.close();
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
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    Location at = place(path).at();
    TaskFile file =
        open.create(at)
            .orElseThrow(
                () ->
                    new IOException(
                        path
                            + " cannot be created: no task of a Repave commit that runs in this"
                            + " process has announced it."
                            + WHERE_WRITES_GO));
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
  public FileStatus getFileStatus(Path path) throws IOException {
    Path asked = makeQualified(path);
    Optional<TaskFile> written = open.find(place(path).at());
    if (written.isPresent()) {
      // Spark counts what its writers wrote; that must not cost a request.
      return new FileStatus(written.get().bytes(), false, 1, getDefaultBlockSize(path), 0, asked);
    }
    FileStatus status = publishedOrKept(place(path), path);
    status.setPath(asked);
    return status;
  }

  /**
   * A reader that listed a folder without a pin still finds each file by its name after another
   * version was published: names are never used twice.
   */
  private FileStatus publishedOrKept(StorePath asked, Path path) throws IOException {
    try {
      return views.of(asked).status(asked.at());
    } catch (FileNotFoundException unpublished) {
      if (asked.isPinned() || PartFileName.commitOf(path.getName()).isEmpty()) {
        throw unpublished;
      }
      return store.getFileStatus(real(path));
    }
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    StorePath asked = place(path);
    FileStatus[] found = views.of(asked).list(asked.at());
    if (!asked.isPinned()) {
      for (FileStatus each : found) {
        unpin(each);
      }
    }
    return found;
  }

  /**
   * A file of a folder that was asked for without a pin: Spark looks the files of a catalog's
   * partition up by that folder's path. A file's name alone says which file it is; folders keep
   * their pin, for they are listed again.
   */
  private void unpin(FileStatus found) throws IOException {
    if (found.isFile()) {
      found.setPath(StorePath.path(SCHEME, place(found.getPath()).at()));
    }
  }

  @Override
  public RemoteIterator<LocatedFileStatus> listFiles(Path path, boolean recursive)
      throws IOException {
    return recursive ? views.of(place(path)).files(place(path).at()) : super.listFiles(path, false);
  }

  @Override
  public FileStatus[] globStatus(Path pattern) throws IOException {
    return super.globStatus(pinned(pattern));
  }

  @Override
  public FileStatus[] globStatus(Path pattern, PathFilter filter) throws IOException {
    return super.globStatus(pinned(pattern), filter);
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    return store.open(real(path), bufferSize);
  }

  @Override
  public FutureDataInputStreamBuilder openFile(Path path) throws IOException {
    return store.openFile(real(path));
  }

  @Override
  public long getDefaultBlockSize(Path path) {
    return store.getDefaultBlockSize(real(path));
  }

  @Override
  public boolean hasPathCapability(Path path, String capability) throws IOException {
    return capability.equals(CommonPathCapabilities.FS_READ_ONLY_CONNECTOR)
        || super.hasPathCapability(path, capability);
  }

  @Override
  public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) {
    throw refused("append to", path);
  }

  @Override
  public boolean rename(Path source, Path target) {
    throw refused("rename", source);
  }

  @Override
  public boolean delete(Path path, boolean recursive) {
    throw refused("delete", path);
  }

  /**
   * Does nothing: the store has no folders. A Hive metastore makes the folder of a table and of a
   * partition that it adds, and takes a refusal for a failure.
   */
  @Override
  public boolean mkdirs(Path path, FsPermission permission) {
    place(path);
    return true;
  }

  @Override
  public void concat(Path target, Path[] sources) {
    throw refused("concatenate to", target);
  }

  @Override
  public boolean truncate(Path path, long length) {
    throw refused("truncate", path);
  }

  /** Hadoop's own would note the path now and fail when the file system is closed. */
  @Override
  public boolean deleteOnExit(Path path) {
    throw refused("delete", path);
  }

  @Override
  public void setWorkingDirectory(Path folder) {
    throw refused("work in", folder);
  }

  // Hadoop's own answer to the next four is success. For a file that a task is writing it stays so:
  // some writers set them behind their create, and S3 has nothing of the kind.

  @Override
  public void setPermission(Path path, FsPermission permission) {
    requireWritten("set permissions of", path);
  }

  @Override
  public void setOwner(Path path, String user, String group) {
    requireWritten("set the owner of", path);
  }

  @Override
  public void setTimes(Path path, long modified, long accessed) {
    requireWritten("set times of", path);
  }

  @Override
  public boolean setReplication(Path path, short replication) {
    requireWritten("set the replication of", path);
    return true;
  }

  @Override
  public Path getWorkingDirectory() {
    return new Path(uri + "/");
  }

  private static TableRecords engineRecords(Configuration conf, URI store) throws IOException {
    StoreAccess access = new StoreAccess(conf, store.getScheme(), store.getAuthority());
    return new EngineRecords(
        access.ports(access.store(), Progress.SILENT), access.engineSettings());
  }

  private StorePath place(Path path) {
    Path qualified = makeQualified(path);
    checkPath(qualified);
    return StorePath.of(qualified);
  }

  /** The path of the data: a pin says which files there are, not where they are. */
  private Path real(Path path) {
    return StorePath.path(store.getUri().getScheme(), place(path).at());
  }

  /** All that a pattern matches comes from one version, as for a listing. */
  private Path pinned(Path pattern) throws IOException {
    String key = makeQualified(pattern).toUri().getPath();
    int special = firstSpecial(key);
    int folder = special < 0 ? -1 : key.lastIndexOf('/', special);
    if (folder < 0 || StorePath.of(makeQualified(pattern)).isPinned()) {
      return pattern;
    }
    Location fixed = StorePath.location(new Path(uri + "/" + key.substring(0, folder)));
    return views.pin(fixed, key.substring(folder + 1));
  }

  private static int firstSpecial(String pattern) {
    for (int i = 0; i < pattern.length(); i++) {
      if ("*?[{\\".indexOf(pattern.charAt(i)) >= 0) {
        return i;
      }
    }
    return -1;
  }

  private void requireWritten(String what, Path path) {
    if (open.find(place(path).at()).isEmpty()) {
      throw refused(what, path);
    }
  }

  private static UnsupportedOperationException refused(String what, Path path) {
    return new UnsupportedOperationException(
        "Cannot " + what + " " + path + ": repave:// paths are for reading." + WHERE_WRITES_GO);
  }
}
