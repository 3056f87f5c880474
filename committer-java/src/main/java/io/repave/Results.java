package io.repave;

import io.repave.core.Table;
import io.repave.core.commit.AdoptionPreview;
import io.repave.core.commit.FolderSizes;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.RecoveredCommit;
import io.repave.core.ledger.Schema;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.ManifestIndex;
import io.repave.core.record.PartitionEntry;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.snapshot.RepairReport;
import io.repave.core.snapshot.Snapshot;
import io.repave.core.vacuum.VacuumReport;
import io.repave.hadoop.StoreFindings;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** The engine's records as the records of the API. */
final class Results {
  private Results() {}

  static TableStatus status(String name, Optional<Head> head) {
    return new TableStatus(
        name,
        head.map(Head::tableId).orElse(""),
        head.map(Head::version).orElse(0L),
        head.map(Head::oldestVersion).orElse(0L),
        head.map(Head::readers),
        head.map(Head::checkpointVersion).orElse(0L),
        head.map(Head::active).orElse(List.of()).stream().map(Results::unfinished).toList(),
        head.map(Results::followed).orElse(List.of()));
  }

  static FollowResult followers(Optional<Head> head) {
    return new FollowResult(
        head.map(Head::version).orElse(0L), head.map(Results::followed).orElse(List.of()));
  }

  private static List<FollowerStatus> followed(Head head) {
    return head.followers().stream()
        .map(
            it ->
                new FollowerStatus(
                    it.kind(), it.name(), it.version(), Math.max(0, head.version() - it.version())))
        .toList();
  }

  private static UnfinishedCommit unfinished(ActiveCommit commit) {
    return new UnfinishedCommit(
        commit.id().folder(),
        commit.kind(),
        commit.state(),
        commit.base(),
        commit.version(),
        commit.token(),
        Instant.ofEpochMilli(commit.reservedMillis()));
  }

  static HistoryEntry entry(ActiveCommit commit, Optional<CommitManifest> plan) {
    return new HistoryEntry(
        commit.version(),
        commit.id().folder(),
        commit.kind(),
        switch (commit.state()) {
          case PENDING -> HistoryEntry.State.PENDING;
          case CLEANING -> HistoryEntry.State.CLEANING;
          case REVERTING -> HistoryEntry.State.REVERTING;
        },
        commit.token(),
        Optional.empty(),
        plan.map(it -> counts(it.index())));
  }

  static HistoryEntry entry(LoggedCommit commit, Optional<CommitManifest> plan) {
    return new HistoryEntry(
        commit.version(),
        commit.id().folder(),
        commit.kind(),
        commit.reverted() ? HistoryEntry.State.REVERTED : HistoryEntry.State.PUBLISHED,
        commit.token(),
        Optional.of(commit.publishedMillis()).filter(it -> it > 0).map(Instant::ofEpochMilli),
        plan.map(it -> counts(it.index())));
  }

  private static CommitCounts counts(ManifestIndex index) {
    return new CommitCounts(
        index.touched().size(),
        index.totals().filesIn(),
        index.totals().bytesIn(),
        index.totals().rowsIn(),
        index.totals().filesOut(),
        index.totals().bytesOut(),
        index.totals().rowsOut(),
        index.totals().adopted());
  }

  static TableManifest manifest(
      long version, ManifestIndex index, List<PartitionChange> partitions) {
    return new TableManifest(
        version,
        index.id().folder(),
        index.kind(),
        List.copyOf(index.scope()),
        List.copyOf(index.touched()),
        counts(index),
        partitions);
  }

  static PartitionChange change(PartitionEntry entry) {
    return new PartitionChange(
        entry.partition(), files(entry.in()), files(entry.out()), files(entry.adopted()));
  }

  static TableFiles files(long version, Snapshot snapshot) {
    return new TableFiles(
        version,
        snapshot.partitions().stream()
            .map(partition -> new PartitionFiles(partition, files(snapshot.files(partition))))
            .toList());
  }

  private static List<DataFile> files(List<FileEntry> files) {
    return files.stream()
        .map(
            file ->
                new DataFile(
                    file.name(),
                    file.bytes(),
                    file.facts().rows(),
                    file.facts().schema().map(Schema::json),
                    file.facts().columns(),
                    file.facts().ordered()))
        .toList();
  }

  static RecoveryResult recovery(Table table, List<RecoveredCommit> all)
      throws IOException, InterruptedException {
    long version = table.head().map(Head::version).orElse(0L);
    List<RecoveryResult.EndedCommit> ended = new ArrayList<>();
    for (RecoveredCommit each : all) {
      ended.add(ended(table, each));
    }
    return new RecoveryResult(version, ended);
  }

  private static RecoveryResult.EndedCommit ended(Table table, RecoveredCommit each)
      throws IOException, InterruptedException {
    boolean reverted = each.outcome() == RecoveredCommit.Outcome.REVERTED;
    return new RecoveryResult.EndedCommit(
        each.id().folder(),
        each.kind(),
        outcome(each),
        reverted ? List.of() : AddedPartitions.of(table, each.id()));
  }

  private static RecoveryResult.Outcome outcome(RecoveredCommit each) {
    return switch (each.outcome()) {
      case PUBLISHED, FINISHED_BY_ANOTHER_PROCESS -> RecoveryResult.Outcome.FINISHED;
      case REVERTED -> RecoveryResult.Outcome.REVERTED;
      case ENDED -> RecoveryResult.Outcome.ENDED;
    };
  }

  static VacuumResult vacuum(VacuumOptions options, VacuumReport report) {
    return new VacuumResult(
        options.isDryRun(),
        report.files(),
        report.bytes(),
        report.uploads(),
        report.records(),
        report.oldestVersion());
  }

  static RollbackResult rollback(CommitResult result) {
    return new RollbackResult(
        result.version(),
        result.by().folder(),
        result.totals().filesIn(),
        result.totals().filesOut());
  }

  static AdoptionResult adoption(Table table, AdoptionPreview preview) {
    return new AdoptionResult(
        true,
        table.paths().root().toString(),
        preview.version(),
        Optional.empty(),
        PartitionSize.of(preview.added()),
        preview.gone());
  }

  static AdoptionResult adoption(Table table, CommitResult result)
      throws IOException, InterruptedException {
    // Two records of a long manifest may name files of one folder.
    FolderSizes added = new FolderSizes();
    AtomicLong gone = new AtomicLong();
    Optional<CommitManifest> plan = table.manifest(result.by());
    if (plan.isPresent()) {
      table.entries(
          plan.get(),
          entries -> {
            for (PartitionEntry entry : entries) {
              gone.addAndGet(entry.out().size());
              for (FileEntry file : entry.adopted()) {
                added.add(entry.partition(), file.bytes());
              }
            }
          });
    }
    return new AdoptionResult(
        false,
        table.paths().root().toString(),
        result.version(),
        Optional.of(result.by().folder()),
        PartitionSize.of(added.list()),
        gone.get());
  }

  static RepairResult repair(RepairReport report) {
    return new RepairResult(
        report.version(), report.files(), report.bytes(), report.lostCommits(), report.searched());
  }

  static StoreProbe probe(StoreFindings findings) {
    return new StoreProbe(
        findings.isSafe(), findings.isSafe() ? "" : String.join(" ", findings.missing()));
  }
}
