package io.repave.core.commit;

import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.follow.Followers;
import io.repave.core.record.Follower;
import io.repave.core.record.Head;
import io.repave.core.snapshot.CommitManifest;
import java.util.List;

/**
 * Step 7: brings the pointers of other readers to the published version.
 *
 * <p>Follow comes before retire: pointers to the old files are updated before these files are
 * deleted. A follower that fails never fails the commit; a later commit or a sync catches up.
 * Requests: none without followers; for a Delta log 1 GET and 1 PUT; for symlink manifests 1 LIST
 * for 1,000 of them, 1 GET of the head and 1 PUT for each changed partition, and for an append also
 * the reads of the partitions' live files. Readers see: those of the pointer the new version. If
 * the process dies here: recovery continues.
 */
public final class Follow {
  private final TableContext context;

  public Follow(TableContext context) {
    this.context = context;
  }

  /** Returns the followers that were updated. */
  public List<Follower> run(CommitManifest manifest, VersionedHead published)
      throws InterruptedException {
    Head head = published.head().orElseThrow();
    // When the commit is no longer unfinished, another process has brought them to its version.
    if (head.followers().isEmpty() || head.active(manifest.index().id()).isEmpty()) {
      return List.of();
    }
    try (var span = context.meter().begin(Step.FOLLOW, head.followers().size())) {
      return new Followers(context).follow(head, manifest);
    }
  }
}
