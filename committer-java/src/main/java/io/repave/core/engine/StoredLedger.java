package io.repave.core.engine;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.error.RecordErrors;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.LedgerSummary;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LedgerJson;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The recorded ledger of a commit, read shard by shard. */
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
   * Reads the index of a commit that the head names with this kind. A ledger of another kind is
   * refused, because head and ledger together decide what the commit may delete. Requests: 1 GET.
   */
  public static StoredLedger open(TableContext context, CommitId id, CommitKind kind)
      throws IOException, InterruptedException {
    return find(context, id, kind)
        .orElseThrow(() -> RecordErrors.missingLedger(context.paths().uploads(id)));
  }

  /**
   * The same; empty when the ledger is lost. One that exists and cannot be read is not lost: a
   * newer version may have written it. Requests: 1 GET.
   */
  public static Optional<StoredLedger> find(TableContext context, CommitId id, CommitKind kind)
      throws IOException, InterruptedException {
    Location at = context.paths().uploads(id);
    Optional<byte[]> stored = context.records().read(at);
    if (stored.isEmpty()) {
      return Optional.empty();
    }
    LedgerIndex index = LedgerJson.readIndex(stored.get(), id, at.toString());
    if (index.kind() != kind) {
      throw RecordErrors.ledgerOfAnotherKind(at);
    }
    return Optional.of(new StoredLedger(context, index, stored.get()));
  }

  public LedgerIndex index() {
    return index;
  }

  /**
   * Throws when the ledger names a folder outside the table that the settings do not allow: a
   * record alone is no reason to change files there.
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

  /**
   * The conflict check and the check of allowed folders used the partitions of the index, so the
   * uploads must not name others.
   */
  private List<Upload> checked(List<Upload> uploads, String where) throws InvalidRecordException {
    for (Upload upload : uploads) {
      if (!index.summary().partitions().contains(upload.partition())) {
        throw RecordErrors.partitionNotInLedger(where, upload.partition());
      }
    }
    return uploads;
  }

  private static byte[] fetch(TableContext context, Location at)
      throws IOException, InterruptedException {
    return context.records().read(at).orElseThrow(() -> RecordErrors.missingLedger(at));
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
      return Optional.of(checked(LedgerJson.readIndexUploads(indexBytes, index.id(), where), where))
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
          checked(LedgerJson.readShard(fetch(context, at), index.id(), where), where));
    }
  }
}
