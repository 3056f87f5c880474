package io.repave.core.guard;

import io.repave.core.engine.DeliveryGuards;
import io.repave.core.engine.TableContext;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.GuardErrors;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.Upload;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.store.Utf8Order;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Checks the guards of a job: {@code repave.only} and {@code repave.shrink}. The job's files are
 * uploaded, and nothing is decided yet.
 *
 * <p>The old files are those of the given head, or those in the folders at this moment. A commit
 * that another job publishes later is the conflict rule's business. Requests: none without guards,
 * and none for {@code repave.only} unless the job replaces folders around the named ones; otherwise
 * those of {@link ReplacedFiles}, of {@link io.repave.core.snapshot.RecordedFacts} and of {@link
 * io.repave.core.listing.StoredFacts}.
 */
public final class GuardCheck {
  private final TableContext context;
  private final DeliveryGuards guards;
  private final Footprint only;

  public GuardCheck(TableContext context, DeliveryGuards guards) {
    this.context = context;
    this.guards = guards;
    this.only = Footprint.of(guards.only());
  }

  /** Throws when the job does what its guards forbid, or when they cannot be checked. */
  public void run(LedgerIndex index, Ledger ledger, Head head)
      throws IOException, InterruptedException {
    Map<String, RowTotal> written = written(ledger);
    requireNamed(index, written.keySet(), written);
    if (!index.kind().replaces()) {
      return;
    }
    ReplacedFiles replaced = new ReplacedFiles(context, index, head);
    if (guards.limitsShrinking()) {
      ReplacedRows rows = new ReplacedRows(context);
      SortedSet<String> partitions = new TreeSet<>(Utf8Order.KEYS);
      replaced.eachWithRows(
          (partition, file) -> {
            if (isNamed(partition)) {
              rows.file(partition, file);
            } else {
              partitions.add(partition);
            }
          });
      requireNamed(index, partitions, written);
      requireRows(index, rows.totals(), written);
    } else if (!index.scope().stream().allMatch(this::isNamed)) {
      SortedSet<String> partitions = new TreeSet<>(Utf8Order.KEYS);
      replaced.each((partition, file) -> partitions.add(partition));
      requireNamed(index, partitions, written);
    }
  }

  private static SortedMap<String, RowTotal> written(Ledger ledger)
      throws IOException, InterruptedException {
    SortedMap<String, RowTotal> written = new TreeMap<>(Utf8Order.KEYS);
    ledger.each(
        batch -> {
          for (Upload upload : batch) {
            written
                .computeIfAbsent(upload.partition(), unseen -> new RowTotal())
                .add(upload.name(), upload.facts().rows());
          }
        });
    return written;
  }

  private boolean isNamed(String partition) {
    return !guards.limitsFolders() || only.covers(partition);
  }

  private void requireNamed(
      LedgerIndex index, Iterable<String> partitions, Map<String, RowTotal> written)
      throws CommitFailedException {
    List<String> others = new ArrayList<>();
    for (String partition : partitions) {
      if (!isNamed(partition)) {
        others.add(GuardErrors.touched(partition, rows(written.get(partition))));
      }
    }
    if (!others.isEmpty()) {
      throw GuardErrors.otherPartitions(
          index.id().id(), context.paths().root(), others, guards.only());
    }
  }

  /** What a message says of the rows of a partition. */
  private static Optional<String> rows(RowTotal total) {
    if (total == null) {
      return Optional.empty();
    }
    return Optional.of(
        total.uncounted().isPresent() ? "an unknown number of" : Long.toString(total.rows()));
  }

  private void requireRows(
      LedgerIndex index, SortedMap<String, RowTotal> before, Map<String, RowTotal> written)
      throws CommitFailedException {
    List<String> shrunk = new ArrayList<>();
    for (Map.Entry<String, RowTotal> each : before.entrySet()) {
      RowTotal old = each.getValue();
      RowTotal now = written.getOrDefault(each.getKey(), new RowTotal());
      if (old.uncounted().isPresent()) {
        throw uncounted(index, old.uncounted().get(), "which it would replace");
      }
      if (old.rows() > 0 && now.uncounted().isPresent()) {
        throw uncounted(index, now.uncounted().get(), "which it wrote");
      }
      if (isLess(now.rows(), old.rows())) {
        shrunk.add(GuardErrors.shrunk(each.getKey(), old.rows(), now.rows()));
      }
    }
    if (!shrunk.isEmpty()) {
      throw GuardErrors.shrunkPartitions(
          index.id().id(), context.paths().root(), shrunk, guards.shrink());
    }
  }

  private boolean isLess(long now, long before) {
    BigDecimal least = guards.shrink().multiply(BigDecimal.valueOf(before));
    return BigDecimal.valueOf(now).compareTo(least) < 0;
  }

  private CommitFailedException uncounted(LedgerIndex index, String file, String role) {
    return GuardErrors.rowsUnknown(
        index.id().id(), context.paths().root(), file, role, guards.shrink());
  }
}
