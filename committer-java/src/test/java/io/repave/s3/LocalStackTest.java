package io.repave.s3;

import io.repave.testing.StoreUnderTest.Capability;
import java.util.EnumSet;
import org.junit.jupiter.api.Tag;

/**
 * The port's contract on a third server, which is stricter than the other two: it checks the sizes
 * of parts, and a second Complete finds no upload. Runs only where LocalStack is installed; {@code
 * make test-localstack} installs it.
 */
@Tag("localstack")
class LocalStackTest extends OnServer {
  /**
   * Without what LocalStack cannot do. Concurrent Completes of an upload sometimes make an empty
   * file; a missing bucket is refused, not reported as missing; "+" is listed as a space.
   */
  LocalStackTest() {
    super(
        "localstack",
        EnumSet.complementOf(
            EnumSet.of(
                Capability.SMALL_PARTS,
                Capability.RACING_COMPLETES,
                Capability.MISSING_BUCKETS,
                Capability.ANY_CHARACTERS)));
  }
}
