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
 * The port's contract on a third server, stricter than the two that are always there: it checks the
 * sizes of parts, and a second Complete finds no upload. Only where LocalStack is installed, which
 * {@code make test-localstack} does.
 */
@Tag("localstack")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LocalStackTest implements ObjectStoreContract {
  /**
   * What it cannot do. An upload that several complete at once becomes an empty file now and then;
   * a bucket that nobody made is refused, not missed; "+" is listed as a space.
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
