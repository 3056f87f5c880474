package io.repave.core.record;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.error.InvalidRecordException;

/** Reads and writes the commit of a token as JSON; the record is kept as long as the history. */
public final class TokenJson {
  private static final String TYPE = "token";
  private static final String TABLE = "table-id";

  private TokenJson() {}

  public static byte[] write(UsedToken token) {
    ObjectNode json = RecordCodec.begin(TYPE);
    if (!token.tableId().isEmpty()) {
      json.put(TABLE, token.tableId());
    }
    LoggedCommitJson.put(json, token.commit());
    return RecordCodec.seal(json);
  }

  public static UsedToken read(byte[] bytes, String where) throws InvalidRecordException {
    Fields json = new Fields(RecordCodec.open(bytes, TYPE, where), where);
    return new UsedToken(json.optionalText(TABLE), LoggedCommitJson.read(json));
  }
}
