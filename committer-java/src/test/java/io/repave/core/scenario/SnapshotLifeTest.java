package io.repave.core.scenario;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random lives of a snapshot table: commits, rollbacks, vacuums that end the history, and followers
 * happen inside each other, up to three deep.
 */
@Tag("sim")
class SnapshotLifeTest {
  @Test
  void everyReadableVersionHasItsFilesWhateverHappensInsideARequest() {
    Lives.run("SnapshotLifeTest", 60, SnapshotLife::new);
  }
}
