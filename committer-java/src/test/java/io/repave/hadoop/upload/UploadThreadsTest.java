package io.repave.hadoop.upload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.record.Readers;
import io.repave.hadoop.footer.WantedFacts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A pool that cannot start a thread: "OutOfMemoryError: unable to create native thread". */
@Timeout(20)
class UploadThreadsTest {
  /** Runs work at once, except the n-th. */
  private static Executor allBut(int n) {
    int[] asked = new int[1];
    return work -> {
      if (++asked[0] == n) {
        throw new Error("unable to create native thread");
      }
      work.run();
    };
  }

  /**
   * The requests of a file of two parts are its start, each part and, at once or later, its end.
   */
  @ParameterizedTest
  @CsvSource({
    "LISTING, 10, 1",
    "LISTING, 10, 2",
    "LISTING, 150000, 1",
    "LISTING, 150000, 2",
    "LISTING, 150000, 3",
    "SNAPSHOT, 10, 1",
    "SNAPSHOT, 150000, 1",
    "SNAPSHOT, 150000, 2",
    "SNAPSHOT, 150000, 3",
    "SNAPSHOT, 150000, 4",
  })
  void aRequestForWhichNoThreadStartsFailsTheAttemptAndGivesItsMemoryBack(
      Readers readers, int bytes, int refused, @TempDir Path folder) throws Exception {
    UploadWorld world = new UploadWorld(folder);
    PartLimits limits = new PartLimits(UploadWorld.PART_BYTES, 5, any -> folder);
    UploadResources resources =
        new UploadResources(
            world.store,
            allBut(refused),
            world.memory,
            UploadWorld.RETRY,
            limits,
            WantedFacts.NONE);
    TaskAttempt attempt = new TaskAttempt(UploadWorld.TABLE, readers, resources, world.open);
    assertThatThrownBy(
            () -> {
              world.write(attempt, "dt=1", "f", new byte[bytes]);
              attempt.commit();
            })
        .isInstanceOf(IOException.class)
        .hasMessageContaining("unable to create native thread");
    attempt.abort();
    world.endWithNothingLeft();
    assertThat(world.memoryStore.openUploads()).isEmpty();
    assertThat(world.memoryStore.objects()).isEmpty();
  }
}
