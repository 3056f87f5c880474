package io.repave.spark.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.AdoptionResult;
import io.repave.CommitCounts;
import io.repave.DropResult;
import io.repave.FollowResult;
import io.repave.FollowerStatus;
import io.repave.HistoryEntry;
import io.repave.PartitionChange;
import io.repave.PartitionFiles;
import io.repave.PartitionSize;
import io.repave.RecoveryResult;
import io.repave.RepairResult;
import io.repave.RollbackResult;
import io.repave.StoreProbe;
import io.repave.TableFiles;
import io.repave.TableManifest;
import io.repave.TableStatus;
import io.repave.UnfinishedCommit;
import io.repave.VacuumResult;
import io.repave.core.engine.CommitResult;
import io.repave.core.follow.Locations;
import io.repave.core.record.FileTotals;
import io.repave.core.record.Labels;
import io.repave.spark.monitor.LastCommits;
import io.repave.spark.monitor.RunningCommits;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;

/** The results of {@link io.repave.RepaveTable} as the documents of {@code docs/json.md}. */
public final class TableJson {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private TableJson() {}

  static JsonNode probe(StoreProbe probe) {
    return JSON.objectNode()
        .put("conditional-writes", probe.isSafe())
        .put("reason", probe.reason());
  }

  static JsonNode status(TableStatus status) {
    ObjectNode document = JSON.objectNode().put("table", status.table());
    document.put("table-id", status.tableId());
    document.put("version", status.version());
    document.put("oldest-version", status.oldestVersion());
    document.put("readers", status.readers().map(Labels::of).orElse(""));
    document.put("checkpoint-version", status.checkpointVersion());
    ArrayNode active = document.putArray("active");
    status.active().forEach(commit -> active.add(active(commit)));
    if (!status.followers().isEmpty()) {
      document.set("followers", followers(status.followers()));
    }
    return document;
  }

  static JsonNode followers(FollowResult result) {
    ObjectNode document = JSON.objectNode().put("version", result.version());
    document.set("followers", followers(result.followers()));
    return document;
  }

  static JsonNode locations(Locations found) {
    ObjectNode document = JSON.objectNode().put("version", found.version());
    document.put("follower", found.follower().id()).put("begins", found.follower().begins());
    ArrayNode partitions = document.putArray("partitions");
    for (String each : found.folders().keySet()) {
      partitions.addObject().put("partition", each).put("folder", found.folder(each));
    }
    return document;
  }

  private static ArrayNode followers(List<FollowerStatus> followers) {
    ArrayNode array = JSON.arrayNode();
    for (FollowerStatus each : followers) {
      ObjectNode one = array.addObject().put("follower", Labels.of(each.follower()));
      if (!each.name().isEmpty()) {
        one.put("name", each.name());
      }
      one.put("version", each.version()).put("behind", each.behind());
    }
    return array;
  }

  private static JsonNode active(UnfinishedCommit commit) {
    return JSON.objectNode()
        .put("commit", commit.commit())
        .put("kind", Labels.of(commit.kind()))
        .put("state", Labels.of(commit.state()))
        .put("base", commit.base())
        .put("version", commit.version())
        .put("token", commit.token())
        .put("reserved-millis", commit.reserved().toEpochMilli());
  }

  static JsonNode history(List<HistoryEntry> history) {
    ArrayNode document = JSON.arrayNode();
    history.forEach(entry -> document.add(entry(entry)));
    return document;
  }

  private static JsonNode entry(HistoryEntry commit) {
    ObjectNode entry = JSON.objectNode().put("version", commit.version());
    entry.put("commit", commit.commit()).put("kind", Labels.of(commit.kind()));
    entry.put("state", Labels.of(commit.state())).put("token", commit.token());
    commit
        .published()
        .ifPresentOrElse(
            it -> entry.put("published-millis", it.toEpochMilli()),
            () -> entry.putNull("published-millis"));
    if (commit.counts().isPresent()) {
      entry.put("partitions", commit.counts().get().partitions());
      return counts(entry, commit.counts().get());
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

  static JsonNode manifest(TableManifest manifest) {
    ObjectNode document = JSON.objectNode().put("version", manifest.version());
    document.put("commit", manifest.commit()).put("kind", Labels.of(manifest.kind()));
    manifest.scope().forEach(document.putArray("scope")::add);
    manifest.touched().forEach(document.putArray("touched")::add);
    counts(document, manifest.counts());
    DataFilesJson files = new DataFilesJson();
    ArrayNode partitions = document.putArray("partitions");
    for (PartitionChange each : manifest.partitions()) {
      ObjectNode change = partitions.addObject().put("partition", each.partition());
      files.put(change, "in", each.in());
      files.put(change, "out", each.out());
      files.put(change, "adopted", each.adopted());
    }
    files.putSchemas(document);
    return document;
  }

  static JsonNode files(TableFiles found) {
    ObjectNode document = JSON.objectNode().put("version", found.version());
    DataFilesJson files = new DataFilesJson();
    ArrayNode partitions = document.putArray("partitions");
    for (PartitionFiles each : found.partitions()) {
      files.put(partitions.addObject().put("partition", each.partition()), "files", each.files());
    }
    files.putSchemas(document);
    return document;
  }

  static JsonNode recovery(RecoveryResult result) {
    ObjectNode document = JSON.objectNode().put("version", result.version());
    ArrayNode commits = document.putArray("commits");
    for (RecoveryResult.EndedCommit each : result.commits()) {
      commits
          .addObject()
          .put("commit", each.commit())
          .put("kind", Labels.of(each.kind()))
          .put("outcome", Labels.of(each.outcome()))
          .set("partitions", texts(each.partitions()));
    }
    return document;
  }

  static JsonNode vacuum(VacuumResult result) {
    return JSON.objectNode()
        .put("dry-run", result.isDryRun())
        .put("files", result.files())
        .put("bytes", result.bytes())
        .put("uploads", result.uploads())
        .put("records", result.records())
        .put("oldest-version", result.oldestVersion());
  }

  static JsonNode rollback(RollbackResult result) {
    return ended(result.version(), result.commit())
        .put("files-in", result.filesIn())
        .put("files-out", result.filesOut());
  }

  static JsonNode drop(DropResult result) {
    ObjectNode document = ended(result.version(), result.commit().orElse(""));
    document.put("dry-run", result.isDryRun());
    document.set("partitions", sizes(result.partitions()));
    return document;
  }

  private static ArrayNode sizes(List<PartitionSize> partitions) {
    ArrayNode array = JSON.arrayNode();
    for (PartitionSize each : partitions) {
      array
          .addObject()
          .put("partition", each.partition())
          .put("files", each.files())
          .put("bytes", each.bytes());
    }
    return array;
  }

  static JsonNode adoption(AdoptionResult result) {
    ObjectNode document =
        JSON.objectNode()
            .put("table", result.table())
            .put("version", result.version())
            .put("commit", result.commit().orElse(""))
            .put("dry-run", result.isDryRun())
            .put("files", result.files())
            .put("bytes", result.bytes())
            .put("gone", result.gone());
    document.set("partitions", sizes(result.added()));
    return document;
  }

  static JsonNode repair(RepairResult result) {
    ObjectNode document =
        JSON.objectNode()
            .put("version", result.version())
            .put("files", result.files())
            .put("bytes", result.bytes())
            .put("lost-commits", result.lostCommits());
    result.searched().forEach(document.putArray("searched")::add);
    return document;
  }

  static JsonNode lastCommit(LastCommits.Last last) {
    CommitResult result = last.result();
    FileTotals totals = result.totals();
    ObjectNode document = JSON.objectNode().put("table", last.table().toString());
    document.put("version", result.version()).put("commit", result.by().folder());
    return document
        .put("repeated", last.target().isRepeatedBy(result))
        .put("files-in", totals.filesIn())
        .put("bytes-in", totals.bytesIn())
        .put("rows-in", known(totals.rowsIn()))
        .put("files-out", totals.filesOut())
        .put("bytes-out", totals.bytesOut())
        .put("rows-out", known(totals.rowsOut()))
        .put("files-adopted", totals.adopted());
  }

  public static JsonNode running(List<RunningCommits.Running> commits) {
    ArrayNode document = JSON.arrayNode();
    for (RunningCommits.Running each : commits) {
      document
          .addObject()
          .put("table", each.table().toString())
          .put("commit", each.commit())
          .put("step", each.step().label())
          .put("done", each.done())
          .put("total", each.total());
    }
    return document;
  }

  static JsonNode array(Collection<JsonNode> items) {
    return JSON.arrayNode().addAll(items);
  }

  static JsonNode texts(List<String> texts) {
    ArrayNode array = JSON.arrayNode();
    texts.forEach(array::add);
    return array;
  }

  private static ObjectNode ended(long version, String commit) {
    return JSON.objectNode().put("version", version).put("commit", commit);
  }

  private static ObjectNode counts(ObjectNode into, CommitCounts counts) {
    return into.put("files-in", counts.filesIn())
        .put("bytes-in", counts.bytesIn())
        .put("rows-in", known(counts.rowsIn()))
        .put("files-out", counts.filesOut())
        .put("bytes-out", counts.bytesOut())
        .put("rows-out", known(counts.rowsOut()))
        .put("files-adopted", counts.filesAdopted());
  }

  /** Jackson writes null for an unknown number. */
  static Long known(OptionalLong number) {
    return number.isPresent() ? number.getAsLong() : null;
  }
}
