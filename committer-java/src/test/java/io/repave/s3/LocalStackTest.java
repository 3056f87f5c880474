package io.repave.s3;

import io.repave.testing.EmbeddedStore;
import io.repave.testing.ObjectStoreContract;
import io.repave.testing.StoreUnderTest;
import io.repave.testing.StoreUnderTest.Capability;
import java.io.IOException;
import java.util.EnumSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;

/**
 * The port's contract on a third server. It is stricter than the other two: it checks the sizes of
 * parts, and a second Complete finds no upload. It runs only where LocalStack is installed; {@code
 * make test-localstack} installs it.
 */
@Tag("localstack")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LocalStackTest implements ObjectStoreContract {
  /**
   * What it cannot do. Concurrent Completes of one upload sometimes create an empty file; an absent
   * bucket is denied, not absent; "+" is listed as a space.
   */
  private static final EnumSet<Capability> UNKNOWN =
      EnumSet.of(
          Capability.SMALL_PARTS,
          Capability.RACING_COMPLETES,
          Capability.MISSING_BUCKETS,
          Capability.ANY_CHARACTERS);

  private EmbeddedStore embedded;
  private StoreUnderTest under;

  @BeforeAll
  void start() throws IOException {
    embedded = EmbeddedStore.start("localstack");
    under = embedded.underTest(EnumSet.complementOf(UNKNOWN));
  }

  @AfterAll
  void stop() throws IOException {
    embedded.close();
  }

  @Override
  public StoreUnderTest storeUnderTest() {
    return under;
  }
}
