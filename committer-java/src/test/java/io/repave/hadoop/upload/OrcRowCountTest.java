package io.repave.hadoop.upload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.CompressionKind;
import org.apache.orc.OrcFile;
import org.apache.orc.TypeDescription;
import org.apache.orc.Writer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rows of an ORC file come from its own bytes; a file that is none has no facts. */
@Timeout(120)
class OrcRowCountTest {
  @TempDir Path folder;

  private byte[] orc(int rows, int columns, CompressionKind kind) throws IOException {
    Path file = folder.resolve(rows + "-" + columns + "-" + kind + ".orc");
    TypeDescription schema = TypeDescription.createStruct();
    for (int i = 0; i < columns; i++) {
      schema.addField("column_" + i, TypeDescription.createLong());
    }
    OrcFile.WriterOptions options =
        OrcFile.writerOptions(new Configuration()).setSchema(schema).compress(kind);
    try (Writer writer =
        OrcFile.createWriter(new org.apache.hadoop.fs.Path(file.toString()), options)) {
      VectorizedRowBatch batch = schema.createRowBatch();
      for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
          ((LongColumnVector) batch.cols[column]).vector[batch.size] = (long) row * column;
        }
        batch.size++;
        if (batch.size == batch.getMaxSize()) {
          writer.addRowBatch(batch);
          batch.reset();
        }
      }
      writer.addRowBatch(batch);
    }
    return Files.readAllBytes(file);
  }

  private static OptionalLong rows(byte[] file, int partBytes) {
    return ArrayPart.facts(file, partBytes).rows();
  }

  @ParameterizedTest
  @CsvSource({"0,NONE", "1,SNAPPY", "5000,ZSTD", "5000,ZLIB", "5000,NONE"})
  void theRowsOfAnOrcFileAreKnown(int rows, CompressionKind kind) throws IOException {
    byte[] file = orc(rows, 3, kind);
    assertThat(rows(file, Integer.MAX_VALUE)).hasValue(rows);
    // Wherever the file is cut, the kept bytes and the last part hold the footer.
    for (int part : new int[] {file.length - 1, file.length / 2 + 1, file.length}) {
      assertThat(rows(file, part)).as("parts of %d bytes", part).hasValue(rows);
    }
  }

  @Test
  void aLongFooterIsReadToo() throws IOException {
    byte[] file = orc(2_000, 4_000, CompressionKind.NONE);
    assertThat(rows(file, Integer.MAX_VALUE)).hasValue(2_000);
  }

  @Test
  void whatIsNoOrcFileHasNoFactsAndFailsNoWrite() throws IOException {
    byte[] file = orc(1_000, 3, CompressionKind.ZSTD);
    Random random = new Random(1);
    for (int i = 0; i < 300; i++) {
      byte[] damaged = Arrays.copyOf(file, 3 + random.nextInt(file.length - 3));
      assertThat(rows(damaged, Integer.MAX_VALUE)).as("cut %d", i).isEmpty();
    }
    assertThat(rows(new byte[] {'O', 'R', 'C'}, Integer.MAX_VALUE)).isEmpty();
    assertThat(rows(new byte[0], Integer.MAX_VALUE)).isEmpty();
  }
}
