package io.repave.s3;

import io.repave.testing.StoreUnderTest.Capability;
import java.util.EnumSet;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The port's contract over HTTP, on two servers with their own dialects. */
@Tag("http")
class S3ObjectStoreHttpTest {

  @Nested
  class OnMiniStack extends OnServer {
    OnMiniStack() {
      super("ministack", EnumSet.allOf(Capability.class));
    }
  }

  @Nested
  class OnMoto extends OnServer {
    /** Not: races, paged, dated or key-bound uploads, line feeds in keys, parts below 5 MiB. */
    OnMoto() {
      super(
          "moto",
          EnumSet.of(
              Capability.CONDITIONAL_WRITES,
              Capability.KEY_LIMIT,
              Capability.ANY_CHARACTERS,
              Capability.RACING_COMPLETES,
              Capability.MISSING_BUCKETS));
    }
  }
}
