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
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;

/** The port's contract over HTTP, on two servers with their own dialects. */
@Tag("http")
class S3ObjectStoreHttpTest {

  @Nested
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  class OnMiniStack implements ObjectStoreContract {
    private EmbeddedStore embedded;
    private StoreUnderTest under;

    @BeforeAll
    void start() throws IOException {
      embedded = EmbeddedStore.start("ministack");
      under = embedded.underTest(EnumSet.allOf(Capability.class));
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

  @Nested
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  class OnMoto implements ObjectStoreContract {
    /** Without races, paged, dated or key-bound uploads, line feeds in keys, parts below 5 MiB. */
    private static final Set<Capability> KNOWN =
        EnumSet.of(
            Capability.CONDITIONAL_WRITES,
            Capability.KEY_LIMIT,
            Capability.ANY_CHARACTERS,
            Capability.RACING_COMPLETES,
            Capability.MISSING_BUCKETS);

    private EmbeddedStore embedded;
    private StoreUnderTest under;

    @BeforeAll
    void start() throws IOException {
      embedded = EmbeddedStore.start("moto");
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
}
