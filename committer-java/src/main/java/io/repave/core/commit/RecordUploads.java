package io.repave.core.commit;

import io.repave.core.engine.Meter;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.error.CommitErrors;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.Upload;
import io.repave.core.record.DividedRecords;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LedgerJson;
import io.repave.core.record.RecordNames;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Step 1: makes the ledger durable, so that any process can finish the commit.
 *
 * <p>Requests: 1 PUT, or 1 PUT per 10,000 files and 1 more. Readers see: the old rows. If the
 * process dies here: the commit is not decided; vacuum finds the open uploads by the commit's id.
 */
public final class RecordUploads {
  private final TableContext context;

  public RecordUploads(TableContext context) {
    this.context = context;
  }

  /** Returns the recorded index. */
  public LedgerIndex run(LedgerIndex index, Ledger ledger)
      throws IOException, InterruptedException {
    try (var span = context.meter().begin(Step.RECORD_UPLOADS, ledger.summary().files())) {
      return record(index, ledger, span);
    } catch (StoreException e) {
      throw CommitErrors.uploadsNotRecorded(index.id().id(), context.paths().commit(index.id()), e);
    }
  }

  private LedgerIndex record(LedgerIndex index, Ledger ledger, Meter.Span span)
      throws IOException, InterruptedException {
    Ledger.Batches batches = ledger.batches();
    List<Upload> batch = checked(index, batches.next());
    for (String partition : index.footprint().folders()) {
      RecordNames.checkPartition(partition, "of a job's partitions");
    }
    if (ledger.summary().files() == batch.size()) {
      try {
        put(index, batch);
        span.done(batch.size());
        return index;
      } catch (InvalidRecordException tooLarge) {
        // There may be room for its folders without its files.
      }
    }
    int[] shards = {0};
    while (!batch.isEmpty()) {
      DividedRecords.write(
          batch,
          part -> LedgerJson.writeShard(index.id(), part),
          (part, shard) -> {
            context.records().put(context.paths().uploadsShard(index.id(), shards[0]++), shard);
            span.done(part.size());
          });
      batch = checked(index, batches.next());
    }
    // The index comes last: if it exists, its shards exist too.
    LedgerIndex sharded = index.withShards(shards[0]);
    try {
      put(sharded, List.of());
    } catch (InvalidRecordException e) {
      throw CommitErrors.tooManyFolders(index.id().id(), index.footprint().folders().size(), e);
    }
    return sharded;
  }

  /** A commit whose index cannot be read back could be decided, but never finished. */
  private void put(LedgerIndex index, List<Upload> inline)
      throws IOException, InterruptedException {
    Location at = context.paths().uploads(index.id());
    byte[] content = LedgerJson.writeIndex(index, inline);
    LedgerJson.readIndex(content, index.id(), at.toString());
    context.records().put(at, content);
  }

  private static List<Upload> checked(LedgerIndex index, Optional<List<Upload>> batch)
      throws IOException {
    List<Upload> uploads = batch.orElse(List.of());
    for (Upload upload : uploads) {
      LedgerJson.check(upload, index.id(), "of a task's files");
    }
    return uploads;
  }
}
