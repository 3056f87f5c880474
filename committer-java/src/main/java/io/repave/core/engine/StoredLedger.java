package io.repave.core.engine;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.LedgerSummary;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LedgerJson;
import io.repave.core.record.RecordCodec;
import io.repave.core.store.Location;
import io.repave.core.store.StoredObject;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The ledger of a commit that another process recorded, read back shard by shard. */
public final class StoredLedger implements Ledger {
  private final TableContext context;
  private final LedgerIndex index;
  private final byte[] indexBytes;

  private StoredLedger(TableContext context, LedgerIndex index, byte[] indexBytes) {
    this.context = context;
    this.index = index;
    this.indexBytes = indexBytes;
  }

  /**
   * Reads the index of a commit that the head names with this kind: 1 GET. A ledger of another kind
   * is refused: head and ledger decide together what the commit may delete.
   */
  public static StoredLedger open(TableContext context, CommitId id, CommitKind kind)
      throws IOException, InterruptedException {
    Location at = context.paths().uploads(id);
    byte[] bytes = fetch(context, at);
    LedgerIndex index = LedgerJson.readIndex(bytes, id, at.toString());
    if (index.kind() != kind) {
      throw new InvalidRecordException(
          "The record "
              + at
              + " is of another kind of commit than the head says. Nothing was changed; restore both"
              + " records from the bucket's older versions.");
    }
    return new StoredLedger(context, index, bytes);
  }

  public LedgerIndex index() {
    return index;
  }

  /**
   * Refuses to act outside the table on a record's word alone: a partition elsewhere must be one
   * that the caller allows.
   */
  public void requireAllowed() throws InvalidConfigException {
    AllowedFolders allowed = new AllowedFolders(context);
    for (String partition : index.summary().partitions()) {
      allowed.require(index.id(), partition);
    }
    for (String folder : index.scope()) {
      allowed.require(index.id(), folder);
    }
  }

  @Override
  public LedgerSummary summary() {
    return index.summary();
  }

  @Override
  public Batches batches() {
    return index.shards() == 0 ? new Inline() : new Shards();
  }

  /** Conflicts, and where a recovery may act, were judged by what the index says is touched. */
  private List<Upload> touched(List<Upload> uploads, String where) throws InvalidRecordException {
    for (Upload upload : uploads) {
      if (!index.summary().partitions().contains(upload.partition())) {
        throw new InvalidRecordException(
            "The record "
                + where
                + " holds a file of partition '"
                + upload.partition()
                + "', which its commit does not name as touched. Nothing was changed.");
      }
    }
    return uploads;
  }

  private static byte[] fetch(TableContext context, Location at)
      throws IOException, InterruptedException {
    Optional<StoredObject> stored =
        context.retry().known(() -> context.store().read(at, RecordCodec.BYTES_MAX));
    if (stored.isEmpty()) {
      throw new InvalidRecordException(
          "The record "
              + at
              + " is missing, and without it the commit cannot be finished. Nothing was changed;"
              + " restore it from the bucket's older versions. If it is lost for good and the commit"
              + " has no plan yet, `repave cancel` takes the commit back.");
    }
    return stored.get().content();
  }

  private final class Inline implements Batches {
    private boolean read;

    @Override
    public Optional<List<Upload>> next() throws IOException {
      if (read) {
        return Optional.empty();
      }
      read = true;
      String where = context.paths().uploads(index.id()).toString();
      return Optional.of(touched(LedgerJson.readIndexUploads(indexBytes, index.id(), where), where))
          .filter(uploads -> !uploads.isEmpty());
    }
  }

  private final class Shards implements Batches {
    private int next;

    @Override
    public Optional<List<Upload>> next() throws IOException, InterruptedException {
      if (next >= index.shards()) {
        return Optional.empty();
      }
      Location at = context.paths().uploadsShard(index.id(), next++);
      String where = at.toString();
      return Optional.of(
          touched(LedgerJson.readShard(fetch(context, at), index.id(), where), where));
    }
  }
}
