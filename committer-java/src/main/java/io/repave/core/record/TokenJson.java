package io.repave.core.record;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.error.InvalidRecordException;

/** Reads and writes the commit of a token as JSON; the record is kept as long as the history. */
public final class TokenJson {
  private static final String TYPE = "token";

  private TokenJson() {}

  public static byte[] write(LoggedCommit commit) {
    ObjectNode json = RecordCodec.begin(TYPE);
    LoggedCommitJson.put(json, commit);
    return RecordCodec.seal(json);
  }

  public static LoggedCommit read(byte[] bytes, String where) throws InvalidRecordException {
    return LoggedCommitJson.read(new Fields(RecordCodec.open(bytes, TYPE, where), where));
  }
}
