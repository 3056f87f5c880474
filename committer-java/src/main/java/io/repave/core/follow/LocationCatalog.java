package io.repave.core.follow;

import java.io.IOException;

/** A catalog whose locations readers follow. */
@FunctionalInterface
public interface LocationCatalog {
  /**
   * Gives the table in the catalog exactly these locations. It compares them with what the catalog
   * has, so that it can run again after it died between two calls. It refuses a table that is not
   * marked with the id of {@link Locations#follower()}, unless the follower begins: then it marks
   * it.
   */
  void move(String name, Locations wanted) throws IOException, InterruptedException;
}
