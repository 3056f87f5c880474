package io.repave;

import io.repave.core.record.CommitKind;
import java.util.List;

/**
 * What the commit of one version added and removed.
 *
 * @param commit the name of the commit's folder under {@code _repave/commits/}
 * @param scope the folders that a static overwrite replaced
 * @param touched the folders in which the commit changed something
 */
public record TableManifest(
    long version,
    String commit,
    CommitKind kind,
    List<String> scope,
    List<String> touched,
    CommitCounts counts,
    List<PartitionChange> partitions) {
  public TableManifest {
    scope = List.copyOf(scope);
    touched = List.copyOf(touched);
    partitions = List.copyOf(partitions);
  }
}
