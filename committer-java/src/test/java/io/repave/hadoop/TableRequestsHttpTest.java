package io.repave.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.Progress;
import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.hadoop.upload.TaskAttempt;
import io.repave.s3.S3Stores;
import io.repave.testing.EmbeddedS3;
import io.repave.testing.LabProxy;
import io.repave.testing.LabProxy.Sent;
import io.repave.testing.ProxiedS3;
import io.repave.testing.ThreadedRunner;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.FutureIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The requests of a whole job, from the journal of the proxy: three for a file of a listing table,
 * one for a file of a snapshot table, and a few more whose number does not depend on the number of
 * files.
 */
@Tag("http")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TableRequestsHttpTest {
  private static final List<String> OF_A_LISTED_FILE =
      List.of("CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload");

  private ProxiedS3 s3;
  private LabProxy proxy;
  private Configuration conf;

  @BeforeAll
  void start() throws IOException {
    s3 = ProxiedS3.start("counted");
    proxy = s3.proxy();
    conf = s3.configuration();
    conf.set("fs.repave.impl", RepaveFileSystem.class.getName());
    conf.setInt("fs.s3a.attempts.maximum", 0);
  }

  @AfterAll
  void stop() throws IOException {
    s3.close();
  }

  private static List<String> partitions(int count) {
    return IntStream.range(0, count).mapToObj("dt=%03d"::formatted).toList();
  }

  private Configuration conf(Readers readers) {
    Configuration job = new Configuration(conf);
    job.set("repave.readers", readers.name().toLowerCase(Locale.ROOT));
    return job;
  }

  /** Overwrites partitions with one small file each, by the paths of Spark's writers. */
  private void overwrite(Configuration job, String table, List<String> partitions)
      throws IOException, InterruptedException {
    String commit = UUID.randomUUID().toString();
    WriteTransaction running =
        TableAccess.of(job, table)
            .tableToBegin(Progress.SILENT)
            .begin(new CommitRequest(commit, CommitKind.DYNAMIC, List.of(), "", "_SUCCESS"));
    TaskAttempt task = TableAccess.of(job, table).beginTask(readers(job));
    for (String partition : partitions) {
      write(job, task.file(partition, PartFileName.of("", 0, commit, 1, ".txt")));
    }
    running.commit(new TaskLedgers(List.of(task.commit())));
    running.abortLostUploads();
  }

  private static Readers readers(Configuration job) throws IOException {
    return new RepaveSettings(job).readers().orElse(Readers.LISTING);
  }

  private static void write(Configuration job, Location at) throws IOException {
    Path path = new Path(TableAccess.writerPath(at));
    FileSystem files = path.getFileSystem(job);
    try (FSDataOutputStream out = files.create(path, false)) {
      out.write(7);
      // Spark asks while a file is written, for its size limit, and after, for its statistics.
      assertThat(files.getFileStatus(path).getLen()).isEqualTo(1);
    }
    assertThat(files.getFileStatus(path).getLen()).isEqualTo(1);
  }

  @Test
  void aFileThatIsLookedUpAndOpenedTwiceCostsOneHead() throws Exception {
    Configuration job = conf(Readers.SNAPSHOT);
    overwrite(job, "s3a://counted/read", List.of("dt=1"));
    Path folder = new Path("repave://counted/read/dt=1");
    FileSystem files = folder.getFileSystem(job);
    Path file = files.listStatus(folder)[0].getPath();
    proxy.reset();
    for (int time = 0; time < 2; time++) {
      // As parquet-hadoop does for the footer, and again for the rows.
      FileStatus status = files.getFileStatus(file);
      assertThat(status.getPath()).isEqualTo(file);
      assertThat(status.getLen()).isEqualTo(1);
      try (FSDataInputStream in = files.open(file)) {
        assertThat(in.readAllBytes()).containsExactly(7);
      }
      try (FSDataInputStream in = FutureIO.awaitFuture(files.openFile(file).build())) {
        assertThat(in.readAllBytes()).containsExactly(7);
      }
    }
    assertThat(counts(proxy.journal())).isEqualTo(Map.of("HeadObject", 1L, "GetObject", 4L));
  }

  /** The requests of a second overwrite of the same partitions. */
  private List<Sent> sent(Readers readers, int files) throws Exception {
    String table = "s3a://counted/" + readers + files;
    overwrite(conf(readers), table, partitions(files));
    proxy.reset();
    overwrite(conf(readers), table, partitions(files));
    return proxy.journal();
  }

  private static Map<String, Long> counts(List<Sent> sent) {
    return sent.stream()
        .collect(Collectors.groupingBy(Sent::operation, TreeMap::new, Collectors.counting()));
  }

  private static Map<String, Long> withoutFiles(List<Sent> sent) {
    return counts(sent.stream().filter(each -> !each.key().contains("/part-")).toList());
  }

  private static Map<String, Long> ofFiles(List<Sent> sent) {
    return counts(sent.stream().filter(each -> each.key().contains("/part-")).toList());
  }

  @Test
  void aFileOfAListingTableCostsThreeRequestsAndTheJobTheSameForAnyNumber() throws Exception {
    List<Sent> few = sent(Readers.LISTING, 4);
    List<Sent> many = sent(Readers.LISTING, 50);

    assertThat(ofFiles(few)).containsOnlyKeys(OF_A_LISTED_FILE).allSatisfy((op, n) -> is(n, 4));
    assertThat(ofFiles(many)).containsOnlyKeys(OF_A_LISTED_FILE).allSatisfy((op, n) -> is(n, 50));
    assertThat(withoutFiles(many)).isEqualTo(withoutFiles(few));
    assertThat(withoutFiles(few))
        .isEqualTo(
            Map.of(
                "DeleteObjects", 1L,
                "GetObject", 1L,
                "ListMultipartUploads", 1L,
                "ListObjectsV2", 1L,
                "PutObject", 7L));
  }

  @Test
  void aFileOfASnapshotTableCostsOneRequestAndTheJobTheSameForAnyNumber() throws Exception {
    List<Sent> few = sent(Readers.SNAPSHOT, 4);
    List<Sent> many = sent(Readers.SNAPSHOT, 50);

    assertThat(ofFiles(few)).isEqualTo(Map.of("PutObject", 4L));
    assertThat(ofFiles(many)).isEqualTo(Map.of("PutObject", 50L));
    assertThat(withoutFiles(many)).isEqualTo(withoutFiles(few));
    assertThat(withoutFiles(few))
        .isEqualTo(Map.of("GetObject", 3L, "ListMultipartUploads", 1L, "PutObject", 7L));
  }

  private static void is(long actual, long expected) {
    assertThat(actual).isEqualTo(expected);
  }

  /** A file that is not published is deleted by its exact key, with one request. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void anAbortedTaskTakesItsFileBackWithOneRequest(Readers readers) throws Exception {
    String table = "s3a://counted/aborted-" + readers;
    TaskAttempt task = TableAccess.of(conf(readers), table).beginTask(readers);
    proxy.reset();
    write(conf(readers), task.file("dt=1", "part-0"));
    task.commit();
    task.abort();

    assertThat(proxy.operations())
        .containsExactlyElementsOf(
            readers == Readers.SNAPSHOT
                ? List.of("PutObject", "DeleteObjects")
                : List.of("CreateMultipartUpload", "UploadPart", "AbortMultipartUpload"));
  }

  /** 2,400 files would be three pages, but partitions between the touched ones are skipped. */
  @Test
  void touchedPartitionsThatLieApartAreListedApartAndTheirFilesDeletedInPages() throws Exception {
    String table = "s3a://counted/large";
    Configuration past = s3.server().configuration(s3.server().endpoint());
    try (FileSystem direct = EmbeddedS3.files("counted", past)) {
      ObjectStore store = S3Stores.open(bucket -> direct);
      Location root = TableAccess.of(conf, table).root();
      new ThreadedRunner(16)
          .each(
              IntStream.range(0, 2400).iterator(),
              file ->
                  store.put(
                      root.resolve("dt=00" + file % 4 + "/f" + file),
                      ByteBuffer.wrap(new byte[1])));
    }
    overwrite(conf, table, List.of("dt=005"));
    proxy.reset();

    overwrite(conf, table, List.of("dt=000", "dt=003"));

    Map<String, Long> counts = counts(proxy.journal());
    assertThat(counts).containsEntry("ListObjectsV2", 2L).containsEntry("DeleteObjects", 5L);
  }
}
