package io.repave.core.record;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.error.InvalidRecordException;
import java.util.ArrayList;
import java.util.List;

/** Reads and writes ended commits as JSON: in the head, in checkpoints and under tokens. */
final class LoggedCommitJson {
  private LoggedCommitJson() {}

  static void put(ObjectNode json, LoggedCommit commit) {
    json.put("commit", commit.id().folder())
        .put("kind", Labels.of(commit.kind()))
        .put("version", commit.version())
        .put("token", commit.token());
    FoldersJson.putSome(json, commit.touched());
    if (commit.publishedMillis() > 0) {
      json.put("published-millis", commit.publishedMillis());
    }
  }

  static LoggedCommit read(Fields json) throws InvalidRecordException {
    return new LoggedCommit(
        CommitId.parse(json.text("commit")),
        json.one("kind", CommitKind.class),
        json.number("version"),
        json.text("token"),
        FoldersJson.some(json),
        json.optionalNumber("published-millis"));
  }

  static List<LoggedCommit> readAll(Fields json, String name) throws InvalidRecordException {
    List<LoggedCommit> commits = new ArrayList<>();
    for (Fields commit : json.objects(name)) {
      commits.add(read(commit));
    }
    return commits;
  }
}
