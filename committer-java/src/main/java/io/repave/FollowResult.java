package io.repave;

import java.util.List;

/**
 * The followers of a table after a change of them.
 *
 * @param version the table's version
 */
public record FollowResult(long version, List<FollowerStatus> followers) {
  public FollowResult {
    followers = List.copyOf(followers);
  }
}
