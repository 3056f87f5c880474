package io.repave.core.scenario;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random lives of a listing table: commits, adoptions, repairs, cancels, vacuums, other writers and
 * catalogs that delete partitions happen inside each other, up to three deep.
 */
@Tag("sim")
class ListingLifeTest {
  @Test
  void aListingShowsTheDecidedRowsWhateverHappensInsideARequest() {
    Lives.run("ListingLifeTest", 150, ListingLife::new);
  }
}
