package io.repave.core.commit;

import io.repave.core.engine.Meter;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.Upload;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LedgerJson;
import io.repave.core.record.RecordNames;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * Step 1: makes the ledger durable, so that whoever finishes the commit needs nothing from us.
 *
 * <p>Requests: 1 PUT, or 1 per 10,000 files and 1. Readers see: the old rows. If we die here:
 * nothing is decided; the uploads are orphans that vacuum knows by the commit's id.
 */
public final class RecordUploads {
  private final TableContext context;

  public RecordUploads(TableContext context) {
    this.context = context;
  }

  /** Returns the index as it was recorded. */
  public LedgerIndex run(LedgerIndex index, Ledger ledger)
      throws IOException, InterruptedException {
    try (var span = context.meter().begin(Step.RECORD_UPLOADS, ledger.summary().files())) {
      return record(index, ledger, span);
    } catch (StoreException e) {
      throw new CommitFailedException(
          "Commit "
              + index.id().id()
              + " could not record its uploads under "
              + context.paths().commit(index.id())
              + ": "
              + e.getMessage()
              + ". Nothing was published; mend the cause and run the job again.",
          e);
    }
  }

  private LedgerIndex record(LedgerIndex index, Ledger ledger, Meter.Span span)
      throws IOException, InterruptedException {
    Ledger.Batches batches = ledger.batches();
    List<Upload> batch = checked(index, batches.next());
    LedgerIndex recorded = index;
    for (String partition : index.footprint().folders()) {
      RecordNames.checkPartition(partition, "of a job's partitions");
    }
    if (ledger.summary().files() > batch.size()) {
      int shards = 0;
      while (!batch.isEmpty()) {
        byte[] shard = LedgerJson.writeShard(index.id(), batch);
        int number = shards++;
        put(context.paths().uploadsShard(index.id(), number), shard);
        span.done(batch.size());
        batch = checked(index, batches.next());
      }
      recorded = sharded(index, shards);
    }
    // The index last: where it stands, the shards it counts stand too.
    byte[] content = LedgerJson.writeIndex(recorded, batch);
    requireReadable(index, content);
    put(context.paths().uploads(index.id()), content);
    span.done(batch.size());
    return recorded;
  }

  /** A commit whose index no reader takes could be decided, and never finished. */
  private void requireReadable(LedgerIndex index, byte[] content) throws CommitFailedException {
    try {
      LedgerJson.readIndex(content, index.id(), context.paths().uploads(index.id()).toString());
    } catch (InvalidRecordException e) {
      throw new CommitFailedException(
          "Commit "
              + index.id().id()
              + " touches too many folders for one commit ("
              + index.footprint().folders().size()
              + "): "
              + e.getMessage()
              + " Nothing was published; write fewer partitions in one job.",
          e);
    }
  }

  private static List<Upload> checked(LedgerIndex index, Optional<List<Upload>> batch)
      throws IOException {
    List<Upload> uploads = batch.orElse(List.of());
    for (Upload upload : uploads) {
      LedgerJson.check(upload, index.id(), "of a task's files");
    }
    return uploads;
  }

  private static LedgerIndex sharded(LedgerIndex index, int shards) {
    return new LedgerIndex(
        index.id(),
        index.kind(),
        index.scope(),
        index.token(),
        index.application(),
        index.marker(),
        index.summary(),
        index.target(),
        shards);
  }

  private void put(Location at, byte[] content) throws IOException, InterruptedException {
    // The same bytes under a key that only this commit writes: trying again changes nothing.
    context.retry().known(() -> context.store().put(at, ByteBuffer.wrap(content)));
  }
}
