package io.repave;

import io.repave.core.Table;
import io.repave.core.commit.FolderSize;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.PartitionBound;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.Head;
import io.repave.hadoop.PartitionName;
import io.repave.hadoop.read.EngineScope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Finds the partitions of {@link DropOptions}, and removes those that have files. */
record PartitionDrop(String name, Table table) {
  DropResult run(DropOptions options) throws IOException, InterruptedException {
    List<FolderSize> found = sizes(options);
    List<String> filled =
        found.stream().filter(it -> it.files() > 0).map(FolderSize::folder).toList();
    if (options.isDryRun() || filled.isEmpty()) {
      long version = table.head().map(Head::version).orElse(0L);
      return new DropResult(options.isDryRun(), version, Optional.empty(), PartitionSize.of(found));
    }
    CommitResult result = table.drop(filled, EngineScope.FOUND.batch());
    return new DropResult(
        false, result.version(), Optional.of(result.by().folder()), PartitionSize.of(found));
  }

  private List<FolderSize> sizes(DropOptions options) throws IOException, InterruptedException {
    if (options.before().isPresent()) {
      DropOptions.Before before = options.before().get();
      return table.sizes(new PartitionBound(before.column(), before.value()));
    }
    Set<String> escaped = new LinkedHashSet<>(folders(options.partitions()));
    Set<String> all = new LinkedHashSet<>(escaped);
    // Other writers escape other characters than Spark, and adopted folders keep their names.
    all.addAll(options.partitions());
    return table.sizes(List.copyOf(all)).stream()
        .filter(it -> it.files() > 0 || escaped.contains(it.folder()))
        .toList();
  }

  private List<String> folders(List<String> partitions) throws InvalidConfigException {
    if (partitions.isEmpty()) {
      throw TableErrors.noPartition(name);
    }
    List<String> folders = new ArrayList<>();
    for (String each : partitions) {
      folders.add(PartitionName.of(each).orElseThrow(() -> TableErrors.notAPartition(name, each)));
    }
    return folders;
  }
}
