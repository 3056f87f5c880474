package io.repave.core.commit;

import io.repave.core.engine.FileDeletion;
import io.repave.core.engine.Meter;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.PartitionEntry;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.snapshot.ManifestValidation;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Step 8: deletes exactly the keys that the manifest names, never a folder: files written after the
 * manifest belong to others. Snapshot tables keep the files until vacuum.
 *
 * <p>Requests: 1 bulk delete per 250 keys. Readers see: listing readers the new rows alone, once it
 * is done. If the process dies here: they see old and new rows until recovery continues.
 */
public final class Retire {
  private final TableContext context;

  public Retire(TableContext context) {
    this.context = context;
  }

  /**
   * {@code published} is a head that was read after the manifest was written or read. When it no
   * longer names the commit as unfinished, another process has retired the files. Then vacuum may
   * have removed the manifest too, and a new plan by a paused process would name files of later
   * commits.
   */
  public void run(CommitManifest manifest, VersionedHead published)
      throws IOException, InterruptedException {
    Head head = published.head().orElseThrow();
    boolean kept =
        head.readers() == Readers.SNAPSHOT || head.active(manifest.index().id()).isEmpty();
    // The files that an adoption removes from the records were deleted before.
    boolean gone = manifest.index().kind() == CommitKind.ADOPT;
    if (kept || gone || manifest.index().totals().filesOut() == 0) {
      return;
    }
    try (var span = context.meter().begin(Step.RETIRE, manifest.index().totals().filesOut())) {
      Footprint replaced = manifest.index().replaced();
      manifest.eachRecord(context, (record, entries) -> delete(record, entries, replaced, span));
    }
  }

  private void delete(
      Location record, List<PartitionEntry> entries, Footprint replaced, Meter.Span span)
      throws IOException, InterruptedException {
    List<Location> keys = new ArrayList<>();
    for (PartitionEntry entry : entries) {
      ManifestValidation.requireReplaced(record, replaced, entry);
      entry.out().forEach(file -> keys.add(context.paths().file(entry.partition(), file.name())));
    }
    FileDeletion.deleteAll(context, keys, span::done);
  }
}
