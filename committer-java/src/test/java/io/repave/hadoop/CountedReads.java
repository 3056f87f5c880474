package io.repave.hadoop;

import io.repave.core.record.Readers;
import io.repave.core.store.ObjectStore;
import io.repave.hadoop.read.EngineRecords;
import io.repave.hadoop.read.VersionCache;
import io.repave.hadoop.upload.OpenFiles;
import io.repave.testing.InterceptingStore;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/** A snapshot table, and the requests of the file systems that read it. */
public final class CountedReads {
  public static final String ROOT = "repave://lake/sales";
  static final String FILE = "part-00000-11111111-1111-4111-8111-111111111111-1.c000.parquet";
  static final long LARGE = 1L << 30;

  public TestTable table = new TestTable(Readers.SNAPSHOT);
  final List<String> requests = new CopyOnWriteArrayList<>();

  /** A table with one file in each of so many partitions. */
  public void table(int partitions) throws Exception {
    table = new TestTable(Readers.SNAPSHOT);
    for (int number = 0; number < partitions; number++) {
      lay("dt=%05d/%s".formatted(number, FILE));
    }
    table.open().adopt();
  }

  void lay(String name) throws IOException {
    table.store.put(table.paths.root().resolve(name), ByteBuffer.wrap(new byte[3]));
  }

  /** The file system of another JVM, whose cache is empty. */
  RepaveFileSystem process(long cacheBytes) throws IOException {
    return process(table.store, cacheBytes);
  }

  public RepaveFileSystem process(ObjectStore store, long cacheBytes) throws IOException {
    InterceptingStore counted =
        InterceptingStore.before(
            store, (call, at) -> requests.add(call + " " + at.key().replaceAll(".*/", "")));
    RepaveFileSystem files =
        new RepaveFileSystem(
            new OpenFiles(),
            (conf, scheme) ->
                new EngineRecords(table.process().ports().with(counted), table.settings()),
            new VersionCache(cacheBytes));
    files.initialize(URI.create("repave://lake"), MemoryFileSystem.conf(counted));
    requests.clear();
    return files;
  }

  /** All files at and below a path, as a bulk listing shows them. */
  static List<String> walk(RepaveFileSystem files, String path) throws IOException {
    List<String> found = new ArrayList<>();
    RemoteIterator<LocatedFileStatus> all = files.listFiles(new Path(path), true);
    while (all.hasNext()) {
      found.add(all.next().getPath().toString());
    }
    return found;
  }
}
