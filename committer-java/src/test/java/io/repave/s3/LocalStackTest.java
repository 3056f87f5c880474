package io.repave.s3;

import io.repave.testing.EmbeddedStore;
import io.repave.testing.ObjectStoreContract;
import io.repave.testing.StoreUnderTest;
import io.repave.testing.StoreUnderTest.Capability;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
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
  /** Not: parts below 5 MiB before the last. */
  private static final Set<Capability> KNOWN =
      EnumSet.complementOf(EnumSet.of(Capability.SMALL_PARTS));

  private EmbeddedStore embedded;
  private StoreUnderTest under;

  @BeforeAll
  void start() throws IOException {
    embedded = EmbeddedStore.start("localstack");
    under = embedded.underTest(KNOWN);
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
