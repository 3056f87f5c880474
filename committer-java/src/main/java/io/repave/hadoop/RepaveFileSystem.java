package io.repave.hadoop;

import io.repave.core.engine.Progress;
import io.repave.core.ledger.PartFileName;
import io.repave.core.store.Location;
import io.repave.hadoop.read.EngineRecords;
import io.repave.hadoop.read.ShownName;
import io.repave.hadoop.read.StorePath;
import io.repave.hadoop.read.StoredFiles;
import io.repave.hadoop.read.TableRecords;
import io.repave.hadoop.read.TableViewResolver;
import io.repave.hadoop.read.VersionCache;
import io.repave.hadoop.read.VersionFiles;
import io.repave.hadoop.upload.OpenFiles;
import io.repave.hadoop.upload.TaskFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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
import org.apache.hadoop.fs.impl.OpenFileParameters;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.Progressable;

/**
 * {@code repave://bucket/path} over the real file system of the bucket. It reads tables by their
 * records, and creates the files that a task attempt of this JVM has announced. It refuses all
 * other changes.
 */
public final class RepaveFileSystem extends FileSystem {
  public static final String SCHEME = "repave";

  private final OpenFiles open;
  private final RecordsSource recordsOf;
  private final VersionCache versions;
  private URI uri;
  private URI real;
  private UserGroupInformation user;
  private volatile Reads reads;

  /** Reading over one file system of the store. */
  private record Reads(FileSystem store, TableViewResolver resolver, StoredFiles files) {}

  /** Opens the table records of a bucket. */
  interface RecordsSource {
    TableRecords open(Configuration conf, URI store) throws IOException;
  }

  /** Called by Hadoop, for {@code fs.repave.impl}. */
  public RepaveFileSystem() {
    this(OpenFiles.JVM, RepaveFileSystem::engineRecords, VersionCache.JVM);
  }

  RepaveFileSystem(OpenFiles open, RecordsSource recordsOf, VersionCache versions) {
    this.open = open;
    this.recordsOf = recordsOf;
    this.versions = versions;
  }

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    setConf(conf);
    if (name.getAuthority() == null) {
      throw FileSystemErrors.noBucket(name);
    }
    uri = URI.create(SCHEME + "://" + name.getAuthority());
    String scheme = new RepaveSettings(conf).text(Setting.STORE_SCHEME);
    real = URI.create(scheme + "://" + name.getAuthority());
    user = UserGroupInformation.getCurrentUser();
    reads = reads(FileSystem.get(real, conf));
  }

  private Reads reads(FileSystem store) throws IOException {
    TableRecords records = recordsOf.open(getConf(), real);
    TableViewResolver resolver = new TableViewResolver(records, store, SCHEME, versions);
    return new Reads(store, resolver, new StoredFiles(store));
  }

  /**
   * The file system of the store in Hadoop's cache. If somebody closed the one that this object
   * uses, there is a new one. Another user has another one, with other permissions.
   */
  private Reads reads() throws IOException {
    if (!SharedFileSystems.isCacheOff(real, getConf())
        && UserGroupInformation.getCurrentUser().equals(user)) {
      FileSystem now = FileSystem.get(real, getConf());
      if (now != reads.store()) {
        reads = reads(now);
      }
    }
    return reads;
  }

  /** Closes the store's file system, unless it is in Hadoop's cache, which other users share. */
  @Override
  public void close() throws IOException {
    try {
      super.close();
    } finally {
      if (reads != null && SharedFileSystems.isCacheOff(real, getConf())) {
        reads.store().close();
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
    TaskFile file =
        open.create(announced(path)).orElseThrow(() -> FileSystemErrors.notAnnounced(path));
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
    Optional<TaskFile> written = open.find(announced(path));
    if (written.isPresent()) {
      // Spark asks for the size of each file that it writes. That must not cost a request.
      return new FileStatus(written.get().bytes(), false, 1, getDefaultBlockSize(path), 0, asked);
    }
    FileStatus status =
        isListedFile(parse(path), path)
            ? reads().files().status(real(path))
            : reads().resolver().status(parse(path));
    status.setPath(asked);
    return status;
  }

  /**
   * True for a file that a reader has listed, in this JVM or another, and that is looked up in the
   * store. It is found after another version was published too, because file names are never
   * reused. A path with a version that a user wrote is looked up in that version.
   */
  private boolean isListedFile(StorePath asked, Path path) throws IOException {
    return PartFileName.commitOf(path.getName()).isPresent()
        && (!asked.isPinned() || asked.isExact() && !reads().resolver().isInMemory(asked));
  }

  /** Spark lists each file of JSON or CSV by its path. That needs no look at the table. */
  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    Optional<FileStatus> file = listedFile(path);
    return file.isPresent()
        ? new FileStatus[] {file.get()}
        : reads().resolver().of(parse(path)).list(parse(path).at());
  }

  @Override
  public RemoteIterator<LocatedFileStatus> listFiles(Path path, boolean recursive)
      throws IOException {
    return recursive && listedFile(path).isEmpty()
        ? reads().resolver().of(parse(path)).files(parse(path).at())
        : super.listFiles(path, recursive);
  }

  /** Empty for a folder, which may have the name of a file: a partition column may hold such. */
  private Optional<FileStatus> listedFile(Path path) throws IOException {
    try {
      return isListedFile(parse(path), path)
          ? Optional.of(getFileStatus(path)).filter(FileStatus::isFile)
          : Optional.empty();
    } catch (FileNotFoundException gone) {
      throw reads().resolver().isForStream() ? gone : FileSystemErrors.goneSinceListed(path, gone);
    }
  }

  /** All files of the snapshot table in exactly this folder; empty for every other path. */
  public Optional<VersionFiles> version(Path folder) throws IOException {
    return reads().resolver().version(parse(folder));
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
    return reads().files().open(real(path), bufferSize);
  }

  @Override
  public FutureDataInputStreamBuilder openFile(Path path) throws IOException {
    boolean isShownAsItIs = real(path).getName().equals(path.getName());
    return isShownAsItIs ? reads().files().openFile(real(path)) : super.openFile(path);
  }

  /** Opens a file that is shown by another name. S3A refuses a status of another name. */
  @Override
  protected CompletableFuture<FSDataInputStream> openFileWithOptions(
      Path path, OpenFileParameters asked) throws IOException {
    FutureDataInputStreamBuilder builder = reads().files().openFile(real(path));
    for (Map.Entry<String, String> option : asked.getOptions()) {
      if (asked.getMandatoryKeys().contains(option.getKey())) {
        builder.must(option.getKey(), option.getValue());
      } else {
        builder.opt(option.getKey(), option.getValue());
      }
    }
    FileStatus status = asked.getStatus();
    if (status != null) {
      long blockBytes = status.getBlockSize();
      long modified = status.getModificationTime();
      builder.withFileStatus(
          new FileStatus(status.getLen(), false, 1, blockBytes, modified, real(path)));
    }
    return builder.build();
  }

  @Override
  public long getDefaultBlockSize(Path path) {
    return reads.store().getDefaultBlockSize(real(path));
  }

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
    parse(path);
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

  @Override
  public Path getWorkingDirectory() {
    return new Path(uri + "/");
  }

  private static TableRecords engineRecords(Configuration conf, URI store) throws IOException {
    StoreAccess access = new StoreAccess(conf, store.getScheme(), store.getAuthority());
    return new EngineRecords(
        access.ports(access.store(), Progress.SILENT), access.engineSettings());
  }

  private StorePath parse(Path path) {
    Path qualified = makeQualified(path);
    checkPath(qualified);
    return StorePath.of(qualified);
  }

  /** The location of a file that a task announced. A folder in its path may look like a pin. */
  private Location announced(Path path) {
    Path qualified = makeQualified(path);
    checkPath(qualified);
    return StorePath.location(qualified);
  }

  /** The path of the data. A version selects files, but does not change their paths. */
  private Path real(Path path) {
    Location at = parse(path).at();
    Location data = new Location(at.bucket(), ShownName.key(at.key()));
    return StorePath.path(real.getScheme(), data);
  }

  /** Pins a pattern to one version, so that all its matches come from that version. */
  private Path pinned(Path pattern) throws IOException {
    String key = makeQualified(pattern).toUri().getPath();
    int special = StorePath.firstSpecial(key);
    int folder = special < 0 ? -1 : key.lastIndexOf('/', special);
    StorePath asked = StorePath.of(makeQualified(pattern));
    if (asked.moment().isPresent() && StorePath.firstSpecial(asked.table().key()) < 0) {
      return reads().resolver().pinMoment(asked);
    }
    if (folder < 0 || asked.isPinned()) {
      return pattern;
    }
    Location fixed = StorePath.location(new Path(uri + "/" + key.substring(0, folder)));
    return reads().resolver().pin(fixed, key.substring(folder + 1));
  }

  private void requireBeingWritten(String what, Path path) {
    if (open.find(announced(path)).isEmpty()) {
      throw FileSystemErrors.readOnly(what, path);
    }
  }
}
