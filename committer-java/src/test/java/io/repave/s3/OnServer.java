package io.repave.s3;

import io.repave.testing.EmbeddedStore;
import io.repave.testing.ObjectStoreContract;
import io.repave.testing.StoreUnderTest;
import io.repave.testing.StoreUnderTest.Capability;
import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** The port's contract on a server that the tests start. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OnServer implements ObjectStoreContract {
  private final String server;
  private final Set<Capability> capabilities;
  private EmbeddedStore embedded;
  private StoreUnderTest under;

  OnServer(String server, Set<Capability> capabilities) {
    this.server = server;
    this.capabilities = capabilities;
  }

  @BeforeAll
  void start() throws IOException {
    embedded = EmbeddedStore.start(server);
    under = embedded.underTest(capabilities);
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
