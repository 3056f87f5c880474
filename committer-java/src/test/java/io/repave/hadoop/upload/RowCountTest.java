package io.repave.hadoop.upload;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.ledger.FileFacts;
import io.repave.core.record.Readers;
import io.repave.core.store.Content;
import io.repave.hadoop.footer.WantedFacts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.crypto.FileEncryptionProperties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rows of a file are known from its bytes alone, or unknown; they are never wrong. */
@Timeout(120)
class RowCountTest {
  private static final byte[] KEY = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  /** The rows of a file that is sent in parts of this size. */
  private static OptionalLong rows(byte[] file, int partBytes) {
    return ArrayPart.facts(file, partBytes).rows();
  }

  private static OptionalLong rowsOfTwoParts(byte[] file, int firstBytes) {
    PassingFile passing = new PassingFile(WantedFacts.NONE);
    passing.part(new ArrayPart(Arrays.copyOf(file, firstBytes)));
    Part last = new ArrayPart(Arrays.copyOfRange(file, firstBytes, file.length));
    return passing.last(last).facts().rows();
  }

  private static OptionalLong rows(byte[] file) {
    return rows(file, Integer.MAX_VALUE);
  }

  private static OptionalLong known(long rows) {
    return OptionalLong.of(rows);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 127, 128, 100_000})
  void theRowsOfAParquetFileAreKnown(int rows) throws IOException {
    assertThat(rows(ParquetBytes.of(rows))).isEqualTo(known(rows));
  }

  @ParameterizedTest
  @EnumSource(WriterVersion.class)
  void everyVersionOfTheFormatIsRead(WriterVersion version) throws IOException {
    byte[] small = ParquetBytes.of(1_000, it -> it.withWriterVersion(version));
    byte[] groups =
        ParquetBytes.of(
            50_000,
            it -> it.withWriterVersion(version).withRowGroupSize(20_000L).withPageSize(999));
    assertThat(rows(small)).isEqualTo(known(1_000));
    assertThat(rows(groups)).isEqualTo(known(50_000));
  }

  @Test
  void theFooterMayBeCutAnywhere() throws IOException {
    byte[] file = ParquetBytes.of(77);
    for (int part = 4; part <= file.length; part++) {
      assertThat(rows(file, part)).as("parts of %d bytes", part).isEqualTo(known(77));
    }
  }

  @Test
  void theRowsOfAFileWithManyColumnsAreKnown() throws IOException {
    byte[] file = ParquetBytes.wide(3, 10_000);
    assertThat(ParquetBytes.footerBytes(file)).isGreaterThan(PassingFile.KEPT_BYTES);
    assertThat(rows(file)).isEqualTo(known(3));
    // The last part begins with the footer, or a little later.
    int footer = file.length - 8 - ParquetBytes.footerBytes(file);
    assertThat(rowsOfTwoParts(file, footer)).isEqualTo(known(3));
    assertThat(rowsOfTwoParts(file, footer + PassingFile.KEPT_BYTES)).isEqualTo(known(3));
  }

  @Test
  void aFooterThatBeginsBeforeTheKeptBytesGivesNoFacts() throws IOException {
    byte[] file = ParquetBytes.wide(3, 10_000);
    int footer = file.length - 8 - ParquetBytes.footerBytes(file);
    assertThat(rowsOfTwoParts(file, footer + PassingFile.KEPT_BYTES + 1)).isEmpty();
  }

  @Test
  void anEncryptedFooterGivesNoFacts() throws IOException {
    FileEncryptionProperties.Builder properties = FileEncryptionProperties.builder(KEY);
    byte[] file = ParquetBytes.of(10, it -> it.withEncryption(properties.build()));
    assertThat(new String(file, file.length - 4, 4, StandardCharsets.US_ASCII)).isEqualTo("PARE");
    assertThat(rows(file)).isEmpty();
  }

  @Test
  void aPlainFooterOfEncryptedColumnsIsRead() throws IOException {
    FileEncryptionProperties.Builder properties =
        FileEncryptionProperties.builder(KEY).withPlaintextFooter();
    byte[] file = ParquetBytes.of(10, it -> it.withEncryption(properties.build()));
    assertThat(rows(file)).isEqualTo(known(10));
  }

  @Test
  void otherFilesGiveNoFacts() throws IOException {
    byte[] parquet = ParquetBytes.of(5);
    byte[] text = "id,name\n1,a\n".getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream both = new ByteArrayOutputStream();
    both.writeBytes(text);
    both.writeBytes(parquet);
    assertThat(rows(text)).isEmpty();
    assertThat(rows(new byte[0])).isEmpty();
    assertThat(rows("PAR1".getBytes(StandardCharsets.US_ASCII))).isEmpty();
    assertThat(rows("PAR1PAR1PAR1".getBytes(StandardCharsets.US_ASCII))).isEmpty();
    assertThat(rows(both.toByteArray())).as("text before a Parquet file").isEmpty();
  }

  @Test
  void aFileThatEndsEarlyGivesNoFacts() throws IOException {
    byte[] file = ParquetBytes.of(5);
    for (int bytes = 0; bytes < file.length; bytes++) {
      assertThat(rows(Arrays.copyOf(file, bytes))).as("%d bytes", bytes).isEmpty();
    }
  }

  /** Also no endless loop, no large array, no deep stack: the test has a time limit. */
  @Test
  void damagedAndHostileFootersDoNotFail() throws IOException {
    byte[] file = ParquetBytes.of(5);
    int footer = file.length - 8 - ParquetBytes.footerBytes(file);
    for (int seed = 0; seed < 200_000; seed++) {
      Random random = new Random(seed);
      byte[] damaged = file.clone();
      int changes = 1 + random.nextInt(8);
      for (int change = 0; change < changes; change++) {
        damaged[footer + random.nextInt(damaged.length - footer - 4)] = (byte) random.nextInt();
      }
      rows(damaged, random.nextBoolean() ? Integer.MAX_VALUE : 4 + random.nextInt(file.length));
    }
    for (int value = 0; value < 256; value++) {
      byte[] same = file.clone();
      Arrays.fill(same, footer + 3, file.length - 8, (byte) value);
      rows(same);
    }
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void theTasksMessageCarriesTheRows(Readers readers, @TempDir Path folder) throws Exception {
    byte[] file = ParquetBytes.of(30_000);
    assertThat(file).hasSizeGreaterThan(UploadWorld.PART_BYTES);
    UploadWorld world = new UploadWorld(folder);
    TaskAttempt attempt = world.attempt(readers);
    world.write(attempt, "dt=1", "a.parquet", ParquetBytes.of(4));
    world.write(attempt, "dt=1", "b.parquet", file);
    world.write(attempt, "dt=1", "c.csv", UploadWorld.random(300_000));
    assertThat(UploadWorld.uploads(attempt.commit()))
        .extracting(upload -> upload.facts().rows())
        .containsExactly(known(4), known(30_000), OptionalLong.empty());
    world.endWithNothingLeft();
  }

  @Test
  void theRowsOfAFileOnLocalDiskAreKnown(@TempDir Path folder) throws Exception {
    byte[] file = ParquetBytes.of(5_000);
    assertThat(file).hasSizeBetween(30_000, UploadWorld.PART_BYTES);
    UploadWorld world = new UploadWorld(folder, 2L * UploadWorld.PART_BYTES);
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    List<UploadStream> streams = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      UploadStream stream = world.create(attempt, "dt=1", i + ".parquet");
      stream.write(file);
      streams.add(stream);
    }
    assertThat(folder).isNotEmptyDirectory();
    for (UploadStream stream : streams) {
      stream.close();
    }
    assertThat(UploadWorld.uploads(attempt.commit()))
        .extracting(upload -> upload.facts().rows())
        .hasSize(10)
        .containsOnly(known(5_000));
    world.endWithNothingLeft();
  }

  /** A part that cannot be read back costs the facts, not the file. */
  @Test
  void aFailureGivesNoFacts() throws IOException {
    byte[] file = ParquetBytes.of(4);
    PassingFile passing = new PassingFile(WantedFacts.NONE);
    Part unreadable =
        new Part() {
          @Override
          public int bytes() {
            return file.length;
          }

          @Override
          public Content view() {
            throw new AssertionError("not needed");
          }

          @Override
          public byte[] read(int from, int length) throws IOException {
            throw new IOException("the disk is gone");
          }

          @Override
          public void release() {}
        };
    passing.part(unreadable);
    assertThat(passing.last(new ArrayPart(file)).facts().rows()).isEmpty();
    assertThat(new PassingFile(WantedFacts.NONE).last(unreadable).facts().rows()).isEmpty();
  }

  @Test
  void impossibleNumbersOfRowsAreUnknown() {
    assertThat(FileFacts.ofRows(-1)).isEqualTo(FileFacts.NONE);
    assertThat(FileFacts.ofRows(1L << 53).rows()).isEqualTo(known(1L << 53));
    assertThat(FileFacts.ofRows((1L << 53) + 1)).isEqualTo(FileFacts.NONE);
    assertThat(FileFacts.sum(known(1L << 53), known(1))).isEmpty();
    assertThat(FileFacts.sum(known(2), known(1))).isEqualTo(known(3));
    assertThat(FileFacts.sum(known(2), OptionalLong.empty())).isEmpty();
  }
}
