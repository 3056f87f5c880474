package io.repave.hadoop.upload;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.hadoop.footer.ParquetFooter;
import io.repave.hadoop.footer.WantedFacts;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** A file that is sent keeps no bytes on the heap until its task ends. */
class PassingFileTest {
  private static Part parquetPart() {
    byte[] content = Arrays.copyOf("PAR1".getBytes(StandardCharsets.US_ASCII), 100_000);
    return new ArrayPart(content);
  }

  @Test
  void theLastPartOfAFileReleasesTheBytesOfEarlierOnes() {
    PassingFile file = new PassingFile(WantedFacts.NONE);
    file.part(parquetPart());
    assertThat(file.keptBytes()).isEqualTo(PassingFile.KEPT_BYTES);
    assertThat(file.last(parquetPart())).isEqualTo(ParquetFooter.Content.UNKNOWN);
    assertThat(file.keptBytes()).isZero();
  }
}
