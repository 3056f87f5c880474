package io.repave.core.record;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.error.InvalidRecordException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads and writes the head as JSON. */
public final class HeadJson {
  private static final String TYPE = "head";
  private static final String WAITING = "waiting";
  private static final String FOLLOWERS = "followers";

  /**
   * Version 0.1 reads format 1 only. It would publish versions that followers miss, and drop {@code
   * history-from}, after which readers and vacuums look for records that are removed.
   */
  private static final int NEWEST_FORMAT = 2;

  private HeadJson() {}

  public static byte[] write(Head head) {
    ObjectNode json =
        RecordCodec.begin(TYPE, format(head))
            .put("table-id", head.tableId())
            .put("nonce", head.nonce())
            .put("fence", head.fence())
            .put("version", head.version())
            .put("oldest-version", head.oldestVersion())
            .put("history-from", head.historyFrom())
            .put("vacuumed-version", head.vacuumedVersion())
            .put("readers", Labels.of(head.readers()))
            .put("checkpoint-version", head.checkpointVersion())
            .put("checkpoint", head.checkpoint());
    ArrayNode active = json.putArray("active");
    for (ActiveCommit commit : head.active()) {
      ObjectNode entry = active.addObject();
      entry
          .put("commit", commit.id().folder())
          .put("kind", Labels.of(commit.kind()))
          .put("state", Labels.of(commit.state()))
          .put("base", commit.base())
          .put("version", commit.version())
          .put("token", commit.token())
          .put("reserved-millis", commit.reservedMillis())
          .put("heartbeat-millis", commit.heartbeatMillis());
      FoldersJson.putSome(entry, commit.touched());
    }
    ArrayNode log = json.putArray("log");
    for (LoggedCommit commit : head.log()) {
      LoggedCommitJson.put(log.addObject(), commit);
    }
    if (head.waiting().isPresent()) {
      ObjectNode waiting = json.putObject(WAITING);
      waiting.put("commit", head.waiting().get().id().folder());
      FoldersJson.putSome(waiting, head.waiting().get().touched());
    }
    if (!head.followers().isEmpty()) {
      FollowerJson.put(json.putArray(FOLLOWERS), head.followers());
    }
    return RecordCodec.seal(json);
  }

  private static int format(Head head) {
    boolean whole = head.historyFrom() <= 1;
    return whole && head.followers().isEmpty() ? 1 : NEWEST_FORMAT;
  }

  public static Head read(byte[] bytes, String where) throws InvalidRecordException {
    Fields head = new Fields(RecordCodec.open(bytes, TYPE, NEWEST_FORMAT, where), where);
    List<ActiveCommit> active = new ArrayList<>();
    for (Fields commit : head.objects("active")) {
      active.add(
          new ActiveCommit(
              CommitId.parse(commit.text("commit")),
              commit.one("kind", CommitKind.class),
              commit.one("state", CommitState.class),
              commit.number("base"),
              commit.number("version"),
              commit.text("token"),
              commit.number("reserved-millis"),
              commit.optionalNumber("heartbeat-millis"),
              FoldersJson.some(commit)));
    }
    List<LoggedCommit> log = LoggedCommitJson.readAll(head, "log");
    String checkpoint = head.text("checkpoint");
    if (!checkpoint.isEmpty()) {
      RecordNames.checkName(checkpoint, where);
    }
    return new Head(
        head.text("table-id"),
        head.number("version"),
        head.number("oldest-version"),
        head.optionalNumber("history-from"),
        head.optionalNumber("vacuumed-version"),
        head.text("nonce"),
        head.optionalText("fence"),
        head.one("readers", Readers.class),
        active,
        log,
        head.number("checkpoint-version"),
        checkpoint,
        waiting(head),
        FollowerJson.read(head, FOLLOWERS));
  }

  private static Optional<WaitingCommit> waiting(Fields head) throws InvalidRecordException {
    if (!head.has(WAITING)) {
      return Optional.empty();
    }
    Fields waiting = head.object(WAITING);
    return Optional.of(
        new WaitingCommit(CommitId.parse(waiting.text("commit")), FoldersJson.some(waiting)));
  }
}
