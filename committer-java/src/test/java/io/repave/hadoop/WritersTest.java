package io.repave.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.RetryPolicy;
import io.repave.core.ledger.TaskLedgerReader;
import io.repave.core.ledger.Upload;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.PendingUpload;
import io.repave.hadoop.footer.WantedFacts;
import io.repave.hadoop.read.StorePath;
import io.repave.hadoop.runtime.RequestRetry;
import io.repave.hadoop.upload.OpenFiles;
import io.repave.hadoop.upload.PartLimits;
import io.repave.hadoop.upload.TaskAttempt;
import io.repave.hadoop.upload.UploadMemory;
import io.repave.hadoop.upload.UploadResources;
import io.repave.testing.MemoryObjectStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileStream;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.orc.OrcFile;
import org.apache.orc.TypeDescription;
import org.apache.orc.Writer;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The writers that Spark uses, each through {@code FileSystem.create} and an upload in parts. */
class WritersTest {
  private static final Location TABLE = new Location("lake", "formats");
  private static final int ROWS = 20_000;

  private final MemoryObjectStore store = new MemoryObjectStore();
  private final ExecutorService pool = Executors.newFixedThreadPool(3);
  private Configuration conf;
  private TaskAttempt task;

  @BeforeEach
  void start(@TempDir java.nio.file.Path folder) {
    conf = MemoryFileSystem.conf(store);
    conf.set("fs.repave.impl", RepaveFileSystem.class.getName());
    conf.set("fs.repave.impl.disable.cache", "true");
    UploadResources transfers =
        new UploadResources(
            store,
            pool,
            new UploadMemory(1 << 20),
            new RequestRetry(RetryPolicy.DEFAULT),
            new PartLimits(10_000, 10_000, bytes -> folder),
            WantedFacts.NONE);
    task = new TaskAttempt(TABLE, Readers.LISTING, transfers, OpenFiles.JVM);
  }

  @AfterEach
  void stop() {
    pool.shutdown();
    assertThat(OpenFiles.JVM.size()).isZero();
  }

  private Path announce(String name) throws IOException {
    return new Path(TableAccess.writerPath(task.file("dt=1", name)));
  }

  /** Commits the one file. Returns its location. */
  private Path publish(Path written, int partsAtLeast) throws IOException {
    long announced = written.getFileSystem(conf).getFileStatus(written).getLen();
    Upload upload = new TaskLedgerReader(task.commit()).next();
    assertThat(upload.bytes()).isEqualTo(announced);
    assertThat(upload.etags()).hasSizeGreaterThanOrEqualTo(partsAtLeast);
    Location at = StorePath.location(written);
    store.complete(new PendingUpload(at, upload.uploadId(), upload.bytes(), upload.etags()));
    return StorePath.path("memory", at);
  }

  @Test
  void parquet() throws IOException {
    MessageType schema = MessageTypeParser.parseMessageType("message row { required int64 id; }");
    SimpleGroupFactory rows = new SimpleGroupFactory(schema);
    Path path = announce("f.parquet");
    try (ParquetWriter<Group> writer =
        ExampleParquetWriter.builder(path)
            .withConf(conf)
            .withType(schema)
            .withRowGroupSize(20_000L)
            .withDictionaryEncoding(false)
            .build()) {
      for (long id = 0; id < ROWS; id++) {
        writer.write(rows.newGroup().append("id", id * 7919));
      }
    }
    Path published = publish(path, 5);
    try (ParquetFileReader reader =
        ParquetFileReader.open(HadoopInputFile.fromPath(published, conf))) {
      assertThat(reader.getRecordCount()).isEqualTo(ROWS);
    }
  }

  @Test
  void orc() throws IOException {
    TypeDescription schema = TypeDescription.fromString("struct<id:bigint>");
    Path path = announce("f.orc");
    try (Writer writer =
        OrcFile.createWriter(
            path, OrcFile.writerOptions(conf).setSchema(schema).stripeSize(10_000))) {
      VectorizedRowBatch batch = schema.createRowBatch();
      for (long id = 0; id < ROWS; id++) {
        ((LongColumnVector) batch.cols[0]).vector[batch.size++] = id * id * 7919 % 1_000_003;
        if (batch.size == batch.getMaxSize()) {
          writer.addRowBatch(batch);
          batch.reset();
        }
      }
      writer.addRowBatch(batch);
    }
    Path published = publish(path, 2);
    try (var reader = OrcFile.createReader(published, OrcFile.readerOptions(conf))) {
      assertThat(reader.getNumberOfRows()).isEqualTo(ROWS);
    }
  }

  @Test
  void avro() throws IOException {
    Schema schema =
        new Schema.Parser()
            .parse(
                "{\"type\":\"record\",\"name\":\"row\",\"fields\":"
                    + "[{\"name\":\"id\",\"type\":\"long\"}]}");
    Path path = announce("f.avro");
    try (DataFileWriter<GenericRecord> writer =
        new DataFileWriter<>(new GenericDatumWriter<GenericRecord>(schema))) {
      // Spark's Avro writer also creates with overwrite=true.
      writer.create(schema, path.getFileSystem(conf).create(path));
      for (long id = 0; id < ROWS; id++) {
        GenericRecord row = new GenericData.Record(schema);
        row.put("id", id);
        writer.append(row);
      }
      writer.fSync();
    }
    Path published = publish(path, 2);
    int rows = 0;
    try (DataFileStream<GenericRecord> reader =
        new DataFileStream<>(
            published.getFileSystem(conf).open(published), new GenericDatumReader<>(schema))) {
      while (reader.hasNext()) {
        reader.next();
        rows++;
      }
    }
    assertThat(rows).isEqualTo(ROWS);
  }

  @Test
  void textWithGzip() throws IOException {
    GzipCodec codec = new GzipCodec();
    codec.setConf(conf);
    Path path = announce("f.csv.gz");
    try (OutputStream out =
        codec.createOutputStream(path.getFileSystem(conf).create(path, false))) {
      for (int row = 0; row < ROWS; row++) {
        out.write((row + "," + row * 7919 + "\n").getBytes(StandardCharsets.UTF_8));
      }
    }
    Path published = publish(path, 2);
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                codec.createInputStream(published.getFileSystem(conf).open(published)),
                StandardCharsets.UTF_8))) {
      assertThat(reader.lines().count()).isEqualTo(ROWS);
    }
  }

  @Test
  void syncingPromisesNothingAndDisturbsNothing() throws IOException {
    Path path = announce("f.bin");
    FSDataOutputStream out = path.getFileSystem(conf).createFile(path).build();
    assertThat(out.hasCapability(StreamCapabilities.HSYNC)).isFalse();
    out.write(new byte[25_000]);
    out.hflush();
    out.hsync();
    out.flush();
    assertThat(out.getPos()).isEqualTo(25_000);
    out.write(1);
    out.close();
    out.close();
    Path published = publish(path, 3);
    assertThat(published.getFileSystem(conf).getFileStatus(published).getLen()).isEqualTo(25_001);
  }

  /** {@code ObjectOutputStream}, Kryo's {@code Output} and others flush each time they close. */
  @Test
  void aWriterMayCloseTwiceAndFlushBeforeThat() throws Exception {
    Path path = announce("f.objects");
    ObjectOutputStream out = new ObjectOutputStream(path.getFileSystem(conf).create(path));
    out.writeObject("row");
    out.close();
    out.close();
    Path published = publish(path, 1);
    try (ObjectInputStream in =
        new ObjectInputStream(published.getFileSystem(conf).open(published))) {
      assertThat(in.readObject()).isEqualTo("row");
    }
  }
}
