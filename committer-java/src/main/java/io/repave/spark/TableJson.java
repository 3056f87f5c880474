package io.repave.spark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.Table;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.RecoveredCommit;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.FileEntry;
import io.repave.core.record.FileTotals;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.ManifestIndex;
import io.repave.core.record.PartitionEntry;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.snapshot.RepairReport;
import io.repave.core.snapshot.Snapshot;
import io.repave.core.store.Location;
import io.repave.core.vacuum.VacuumReport;
import io.repave.hadoop.StoreFindings;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** The documents of {@code docs/json.md}. */
final class TableJson {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private TableJson() {}

  static JsonNode probe(StoreFindings findings) {
    return JSON.objectNode()
        .put("conditional-writes", findings.isSafe())
        .put("reason", findings.isSafe() ? "" : String.join(" ", findings.missing()));
  }

  static JsonNode status(String name, Optional<Head> head) {
    ObjectNode status = JSON.objectNode().put("table", name);
    status.put("table-id", head.map(Head::tableId).orElse(""));
    status.put("version", head.map(Head::version).orElse(0L));
    status.put("oldest-version", head.map(Head::oldestVersion).orElse(0L));
    status.put("readers", head.map(known -> kebab(known.readers())).orElse(""));
    status.put("checkpoint-version", head.map(Head::checkpointVersion).orElse(0L));
    ArrayNode active = status.putArray("active");
    head.ifPresent(known -> known.active().forEach(commit -> active.add(active(commit))));
    return status;
  }

  private static JsonNode active(ActiveCommit commit) {
    return JSON.objectNode()
        .put("commit", commit.id().folder())
        .put("kind", kebab(commit.kind()))
        .put("state", kebab(commit.state()))
        .put("base", commit.base())
        .put("version", commit.version())
        .put("token", commit.token())
        .put("reserved-millis", commit.reservedMillis());
  }

  static JsonNode entry(ActiveCommit commit, Optional<CommitManifest> plan) {
    ObjectNode entry = JSON.objectNode().put("version", commit.version());
    entry.put("commit", commit.id().folder()).put("kind", kebab(commit.kind()));
    entry.put("state", kebab(commit.state())).put("token", commit.token());
    return counted(entry, plan);
  }

  static JsonNode entry(LoggedCommit commit, Optional<CommitManifest> plan) {
    ObjectNode entry = JSON.objectNode().put("version", commit.version());
    entry.put("commit", commit.id().folder()).put("kind", kebab(commit.kind()));
    entry.put("state", commit.reverted() ? "reverted" : "published");
    return counted(entry.put("token", commit.token()), plan);
  }

  private static JsonNode counted(ObjectNode entry, Optional<CommitManifest> plan) {
    if (plan.isPresent()) {
      entry.put("partitions", plan.get().index().touched().size());
      return totals(entry, plan.get().index().totals());
    }
    for (String count :
        List.of(
            "partitions",
            "files-in",
            "bytes-in",
            "rows-in",
            "files-out",
            "bytes-out",
            "rows-out",
            "files-adopted")) {
      entry.putNull(count);
    }
    return entry;
  }

  static JsonNode manifest(Table table, long version, CommitManifest plan)
      throws IOException, InterruptedException {
    ManifestIndex index = plan.index();
    ObjectNode manifest = JSON.objectNode().put("version", version);
    manifest.put("commit", index.id().folder()).put("kind", kebab(index.kind()));
    index.scope().forEach(manifest.putArray("scope")::add);
    index.touched().forEach(manifest.putArray("touched")::add);
    totals(manifest, index.totals());
    ArrayNode partitions = manifest.putArray("partitions");
    table.entries(plan, entries -> entries.forEach(entry -> partitions.add(change(entry))));
    return manifest;
  }

  private static JsonNode change(PartitionEntry entry) {
    ObjectNode change = JSON.objectNode().put("partition", entry.partition());
    change.set("in", files(entry.in()));
    change.set("out", files(entry.out()));
    change.set("adopted", files(entry.adopted()));
    return change;
  }

  static JsonNode files(long version, Snapshot snapshot) {
    ObjectNode document = JSON.objectNode().put("version", version);
    ArrayNode partitions = document.putArray("partitions");
    for (String partition : snapshot.partitions()) {
      partitions
          .addObject()
          .put("partition", partition)
          .set("files", files(snapshot.files(partition)));
    }
    return document;
  }

  static JsonNode recovered(List<RecoveredCommit> all, Optional<Head> head) {
    ObjectNode document = JSON.objectNode();
    document.put("version", head.map(Head::version).orElse(0L));
    ArrayNode commits = document.putArray("commits");
    for (RecoveredCommit each : all) {
      boolean reverted = each.outcome() == RecoveredCommit.Outcome.REVERTED;
      commits
          .addObject()
          .put("commit", each.id().folder())
          .put("kind", kebab(each.kind()))
          .put("outcome", reverted ? "reverted" : "finished");
    }
    return document;
  }

  static JsonNode vacuum(boolean dryRun, VacuumReport report) {
    return JSON.objectNode()
        .put("dry-run", dryRun)
        .put("files", report.files())
        .put("bytes", report.bytes())
        .put("uploads", report.uploads())
        .put("records", report.records())
        .put("oldest-version", report.oldestVersion());
  }

  static JsonNode rollback(CommitResult result) {
    return ended(result)
        .put("files-in", result.totals().filesIn())
        .put("files-out", result.totals().filesOut());
  }

  static JsonNode adoption(Table table, CommitResult result, Optional<CommitManifest> plan)
      throws IOException, InterruptedException {
    long[] sums = new long[3];
    if (plan.isPresent()) {
      table.entries(
          plan.get(),
          entries -> {
            for (PartitionEntry entry : entries) {
              sums[0] += entry.adopted().size();
              sums[1] += entry.adopted().stream().mapToLong(FileEntry::bytes).sum();
              sums[2] += entry.out().size();
            }
          });
    }
    return ended(result).put("files", sums[0]).put("bytes", sums[1]).put("gone", sums[2]);
  }

  static JsonNode repaired(RepairReport repaired) {
    return JSON.objectNode()
        .put("version", repaired.version())
        .put("files", repaired.files())
        .put("bytes", repaired.bytes())
        .put("lost-commits", repaired.lostCommits());
  }

  static JsonNode lastCommit(Location table, WriteTarget target, CommitResult result) {
    ObjectNode document = JSON.objectNode().put("table", table.toString());
    document.put("version", result.version()).put("commit", result.by().folder());
    document.put("repeated", target.isRepeatedBy(result));
    return totals(document, result.totals());
  }

  static JsonNode array(Collection<JsonNode> items) {
    return JSON.arrayNode().addAll(items);
  }

  private static ObjectNode ended(CommitResult result) {
    return JSON.objectNode().put("version", result.version()).put("commit", result.by().folder());
  }

  private static JsonNode totals(ObjectNode into, FileTotals totals) {
    return into.put("files-in", totals.filesIn())
        .put("bytes-in", totals.bytesIn())
        .put("rows-in", known(totals.rowsIn()))
        .put("files-out", totals.filesOut())
        .put("bytes-out", totals.bytesOut())
        .put("rows-out", known(totals.rowsOut()))
        .put("files-adopted", totals.adopted());
  }

  private static JsonNode files(List<FileEntry> files) {
    ArrayNode all = JSON.arrayNode();
    for (FileEntry file : files) {
      Long rows = known(file.facts().rows());
      all.addObject().put("name", file.name()).put("bytes", file.bytes()).put("rows", rows);
    }
    return all;
  }

  /** Jackson writes null for an unknown number. */
  private static Long known(OptionalLong number) {
    return number.isPresent() ? number.getAsLong() : null;
  }

  private static String kebab(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
