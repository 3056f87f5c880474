package io.repave.testing;

import io.repave.core.Table;
import io.repave.core.record.Follower;
import io.repave.core.record.Head;
import java.io.IOException;

/** Ends the switch-offs of followers that died, as the error of a sync tells an operator to do. */
public final class SwitchOffs {
  private SwitchOffs() {}

  public static void end(Head head, Table table) throws IOException, InterruptedException {
    for (Follower follower : head.followers()) {
      if (follower.ending()) {
        table.unfollow(follower.kind());
      }
    }
  }
}
