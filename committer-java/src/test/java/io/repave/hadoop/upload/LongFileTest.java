package io.repave.hadoop.upload;

import static io.repave.hadoop.upload.UploadWorld.TABLE;
import static io.repave.hadoop.upload.UploadWorld.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.record.Readers;
import io.repave.testing.StoreCall;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A file of 10,000 parts, the most that S3 accepts. */
@Timeout(60)
class LongFileTest {
  private UploadWorld world;

  @BeforeEach
  void start(@TempDir Path folder) {
    world = new UploadWorld(folder);
  }

  @AfterEach
  void nothingIsLeftBehind() throws InterruptedException {
    world.endWithNothingLeft();
  }

  /** Parts of seven bytes each. The store accepts the last one. */
  @ParameterizedTest
  @CsvSource({"LISTING, 69999", "LISTING, 70000", "SNAPSHOT, 70000"})
  void tenThousandPartsAreOneFile(Readers readers, int bytes) throws IOException {
    TaskAttempt attempt = ofTinyParts(readers);
    world.write(attempt, "dt=1", "f.parquet", random(bytes));
    byte[] message = attempt.commit();

    if (readers == Readers.LISTING) {
      assertThat(UploadWorld.uploads(message).get(0).etags()).hasSize(10_000);
      world.publish(message);
    }
    assertThat(world.content(TABLE.resolve("dt=1/f.parquet"))).isEqualTo(random(bytes));
  }

  @Test
  void noByteIsTakenBehindTenThousandParts() throws IOException {
    TaskAttempt attempt = ofTinyParts(Readers.LISTING);
    UploadStream stream = world.create(attempt, "dt=1", "f.parquet");
    stream.write(random(70_000));

    assertThatThrownBy(() -> stream.write(1))
        .hasMessageContaining("longer than 70000 bytes, the size of 10000 parts of 7 bytes");
    assertThatThrownBy(attempt::commit).hasMessageContaining("longer than 70000 bytes");
    attempt.abort();
    assertThat(world.memoryStore.openUploads()).isEmpty();
    assertThat(world.store.journal).doesNotContain(StoreCall.COMPLETE);
  }

  private TaskAttempt ofTinyParts(Readers readers) {
    UploadResources transfers = world.transfers(world.store, 7, PartLimits.S3_PARTS_MAX);
    return new TaskAttempt(TABLE, readers, transfers, world.open);
  }
}
