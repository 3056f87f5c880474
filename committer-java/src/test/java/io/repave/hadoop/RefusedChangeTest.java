package io.repave.hadoop;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.RetryPolicy;
import io.repave.core.ledger.PartFileName;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.hadoop.footer.WantedFacts;
import io.repave.hadoop.read.HeadsInPlace;
import io.repave.hadoop.read.VersionCache;
import io.repave.hadoop.runtime.RequestRetry;
import io.repave.hadoop.upload.OpenFiles;
import io.repave.hadoop.upload.PartLimits;
import io.repave.hadoop.upload.TaskAttempt;
import io.repave.hadoop.upload.UploadMemory;
import io.repave.hadoop.upload.UploadResources;
import io.repave.testing.MemoryObjectStore;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every method of Hadoop that would change something, on a path that is for reading. */
class RefusedChangeTest {
  /** Methods that only read or change this object. {@code copyToLocalFile} writes locally. */
  private static final Set<String> READS =
      Set.of(
          ("access cancelDeleteOnExit close copyToLocalFile exists getAclStatus"
                  + " getAdditionalTokenIssuers getAllStoragePolicies getBlockSize"
                  + " getCanonicalServiceName getChildFileSystems getContentSummary"
                  + " getDefaultBlockSize getDefaultReplication getDelegationToken getEnclosingRoot"
                  + " getFileBlockLocations getFileChecksum getFileLinkStatus getFileStatus"
                  + " getHomeDirectory getLength getLinkTarget getName getPathHandle getQuotaUsage"
                  + " getReplication getScheme getServerDefaults getStatus getStoragePolicy"
                  + " getStorageStatistics getTrashRoot getTrashRoots getUri getUsed"
                  + " getWorkingDirectory getXAttr getXAttrs globStatus hasPathCapability"
                  + " initialize isDirectory isFile listCorruptFileBlocks listFiles"
                  + " listLocatedStatus listStatus listStatusIterator listXAttrs makeQualified"
                  + " mkdirs msync open openFile resolvePath setVerifyChecksum setWriteChecksum"
                  + " startLocalOutput supportsSymlinks")
              .split(" "));

  private final MemoryObjectStore store = new MemoryObjectStore();
  private final Path path = new Path("repave://lake/sales/dt=1/a");
  private final Path absent = new Path("repave://lake/sales/dt=1/b");
  private OpenFiles open;
  private RepaveFileSystem files;

  @BeforeEach
  void start() throws IOException {
    store.put(new Location("lake", "sales/dt=1/a"), ByteBuffer.wrap("rows".getBytes(UTF_8)));
    open = new OpenFiles();
    files =
        new RepaveFileSystem(
            open, (conf, scheme) -> (HeadsInPlace) table -> Optional.empty(), VersionCache.JVM);
    files.initialize(URI.create("repave://lake"), MemoryFileSystem.conf(store));
  }

  private Map<String, ThrowingCallable> changes(java.nio.file.Path folder) throws IOException {
    Path local = new Path(Files.writeString(folder.resolve("local"), "x").toUri());
    Map<String, ThrowingCallable> changes = new LinkedHashMap<>();
    changes.put("create", () -> files.create(path, true));
    changes.put("createFile", () -> files.createFile(path).overwrite(true).build());
    changes.put("createNewFile", () -> files.createNewFile(absent));
    changes.put("createNonRecursive", () -> nonRecursive());
    changes.put("append", () -> files.append(path));
    changes.put("appendFile", () -> files.appendFile(path).build());
    changes.put("concat", () -> files.concat(path, new Path[] {absent}));
    changes.put("truncate", () -> files.truncate(path, 1));
    changes.put("rename", () -> files.rename(path, absent));
    changes.put("delete", () -> files.delete(path, false));
    changes.put("deleteOnExit", () -> files.deleteOnExit(path));
    changes.put("setWorkingDirectory", () -> files.setWorkingDirectory(path));
    changes.put("setPermission", () -> files.setPermission(path, FsPermission.getDefault()));
    changes.put("setOwner", () -> files.setOwner(path, "somebody", "else"));
    changes.put("setTimes", () -> files.setTimes(path, 1, 1));
    changes.put("setReplication", () -> files.setReplication(path, (short) 3));
    changes.put("copyFromLocalFile", () -> files.copyFromLocalFile(local, absent));
    changes.put("moveFromLocalFile", () -> files.moveFromLocalFile(local, absent));
    changes.put("completeLocalOutput", () -> files.completeLocalOutput(absent, local));
    changes.put("moveToLocalFile", () -> files.moveToLocalFile(path, new Path(folder + "/got")));
    changes.put("createSymlink", () -> files.createSymlink(path, absent, false));
    changes.put("createSnapshot", () -> files.createSnapshot(path, "s"));
    changes.put("renameSnapshot", () -> files.renameSnapshot(path, "s", "t"));
    changes.put("deleteSnapshot", () -> files.deleteSnapshot(path, "s"));
    changes.put("setAcl", () -> files.setAcl(path, List.of()));
    changes.put("modifyAclEntries", () -> files.modifyAclEntries(path, List.of()));
    changes.put("removeAclEntries", () -> files.removeAclEntries(path, List.of()));
    changes.put("removeDefaultAcl", () -> files.removeDefaultAcl(path));
    changes.put("removeAcl", () -> files.removeAcl(path));
    changes.put("setXAttr", () -> files.setXAttr(path, "user.a", new byte[1]));
    changes.put("removeXAttr", () -> files.removeXAttr(path, "user.a"));
    changes.put("setQuota", () -> files.setQuota(path, 1, 1));
    changes.put("setQuotaByStorageType", () -> files.setQuotaByStorageType(path, null, 1));
    changes.put("setStoragePolicy", () -> files.setStoragePolicy(path, "HOT"));
    changes.put("unsetStoragePolicy", () -> files.unsetStoragePolicy(path));
    changes.put("satisfyStoragePolicy", () -> files.satisfyStoragePolicy(path));
    changes.put("createMultipartUploader", () -> files.createMultipartUploader(path).build());
    changes.put("createBulkDelete", () -> files.createBulkDelete(path).bulkDelete(List.of(path)));
    return changes;
  }

  @SuppressWarnings("deprecation")
  private FSDataOutputStream nonRecursive() throws IOException {
    return files.createNonRecursive(path, true, 1, (short) 1, 1, null);
  }

  /** The methods of this release of Hadoop. A new one must be added to one of the two lists. */
  private static Set<String> calls() {
    return Arrays.stream(FileSystem.class.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> FileSystem.class.isAssignableFrom(method.getDeclaringClass()))
        .map(Method::getName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void everyChangeIsRefusedAndChangesNothing(@TempDir java.nio.file.Path folder) throws Exception {
    Map<String, ThrowingCallable> changes = changes(folder);

    for (String name : calls()) {
      if (READS.contains(name)) {
        continue;
      }
      assertThat(changes).as("is there a test of FileSystem.%s?", name).containsKey(name);
      assertThatThrownBy(changes.get(name))
          .as(name)
          .isInstanceOfAny(IOException.class, UnsupportedOperationException.class)
          .message()
          .containsPattern("for reading|cannot be created|RepaveFileSystem|not support symlinks");
    }

    // A metastore creates folders of tables and partitions; the store has none.
    assertThat(files.mkdirs(absent)).isTrue();
    files.close();
    assertThat(store.objects()).containsOnlyKeys(new Location("lake", "sales/dt=1/a"));
    assertThat(store.openUploads()).isEmpty();
  }

  /** Parquet's default keeps it in the data files. */
  @Test
  void keyMaterialInFilesOfItsOwnIsRefusedWithTheSettingThatHelps() {
    Path material = new Path("repave://lake/sales/dt=1/_KEY_MATERIAL_FOR_part-0.parquet.json");
    assertThatThrownBy(() -> files.create(material))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("parquet.encryption.key.material.store.internally=true");
  }

  @Test
  void theNameOfACommitsFileThatIsUnknownHereMayComeFromAnotherClassLoader() {
    String name = PartFileName.of("", 0, "11111111-2222-4333-8444-555555555555", 7, ".parquet");
    for (String folder : List.of("dt=1", "dt=1/@11111111-2222-4333-8444-555555555555")) {
      assertThatThrownBy(() -> files.create(new Path("repave://lake/sales/" + folder, name)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("two class loaders")
          .hasMessageContaining("spark.executor.extraClassPath");
    }
    assertThatThrownBy(() -> files.create(absent))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Write to the table's own path")
        .message()
        .doesNotContain("class loaders");
  }

  @Test
  void whatS3LacksIsLetPassForAFileThatATaskWrites(@TempDir java.nio.file.Path folder)
      throws Exception {
    UploadResources transfers =
        new UploadResources(
            store,
            Runnable::run,
            new UploadMemory(1 << 20),
            new RequestRetry(RetryPolicy.DEFAULT),
            new PartLimits(1000, 10, bytes -> folder),
            WantedFacts.NONE);
    TaskAttempt task =
        new TaskAttempt(new Location("lake", "sales"), Readers.LISTING, transfers, open);
    Path written = new Path(TableAccess.writerPath(task.file("dt=1", "b")));
    files.create(written).close();

    assertThatCode(
            () -> {
              files.setPermission(written, FsPermission.getDefault());
              files.setOwner(written, "somebody", "else");
              files.setTimes(written, 1, 1);
              files.setReplication(written, (short) 3);
            })
        .doesNotThrowAnyException();
    task.abort();
    assertThatThrownBy(() -> files.setTimes(written, 1, 1)).hasMessageContaining("for reading");
  }
}
