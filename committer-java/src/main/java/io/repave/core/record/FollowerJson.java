package io.repave.core.record;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.ColumnBounds;
import java.util.ArrayList;
import java.util.List;

/** Reads and writes the followers of a head, and their states, as JSON. */
public final class FollowerJson {
  private static final String TYPE = "follower";
  private static final String NAME = "name";
  private static final String STATE = "state";
  private static final String ENDING = "ending";
  private static final String BOUNDED = "bounded";
  private static final int FOLLOWERS_MAX = 16;
  private static final int COLUMNS_MAX = 256;

  private FollowerJson() {}

  static void put(ArrayNode array, List<Follower> followers) {
    for (Follower follower : followers) {
      ObjectNode entry =
          array
              .addObject()
              .put("kind", follower.kind().label())
              .put("id", follower.id())
              .put("from", follower.from())
              .put("next", follower.next());
      if (!follower.name().isEmpty()) {
        entry.put(NAME, follower.name());
      }
      follower.state().ifPresent(version -> entry.put(STATE, version));
      if (follower.ending()) {
        entry.put(ENDING, true);
      }
    }
  }

  static List<Follower> read(Fields head, String name) throws InvalidRecordException {
    List<Follower> followers = new ArrayList<>();
    for (Fields entry : head.optionalObjects(name)) {
      if (entry.number("next") < entry.number("from")) {
        throw entry.wrong("next");
      }
      followers.add(
          new Follower(
              entry.one("kind", FollowerKind.class),
              entry.optionalText(NAME),
              RecordNames.checkName(entry.text("id"), entry.where()),
              entry.number("from"),
              entry.number("next"),
              entry.knownNumber(STATE),
              entry.optionalFlag(ENDING)));
    }
    if (followers.size() > FOLLOWERS_MAX) {
      throw head.wrong(name);
    }
    return followers;
  }

  /** The record of a state. */
  public static byte[] write(FollowerState state) {
    ObjectNode json =
        RecordCodec.begin(TYPE).put("id", state.follower()).put("version", state.version());
    ArrayNode columns = json.putArray("partition-columns");
    for (FollowerState.Column column : state.partitionColumns()) {
      columns.addObject().put("name", column.name()).put("type", column.type());
    }
    TextPieces.put(json.putArray("schema"), state.schema());
    if (!state.bounded().isEmpty()) {
      state.bounded().forEach(json.putArray(BOUNDED)::add);
    }
    return RecordCodec.seal(json);
  }

  /** Reads the state of a follower at a version. */
  public static FollowerState read(byte[] bytes, String follower, long version, String where)
      throws InvalidRecordException {
    Fields json = new Fields(RecordCodec.open(bytes, TYPE, where), where);
    if (!json.text("id").equals(follower)) {
      throw json.wrong("id");
    }
    if (json.number("version") != version) {
      throw json.wrong("version");
    }
    List<FollowerState.Column> columns = new ArrayList<>();
    for (Fields column : json.objects("partition-columns")) {
      columns.add(new FollowerState.Column(column.text("name"), column.text("type")));
    }
    String schema = String.join("", json.texts("schema"));
    if (columns.size() > COLUMNS_MAX || schema.length() > FollowerState.SCHEMA_MAX) {
      throw json.wrong("schema");
    }
    List<String> bounded = json.optionalTexts(BOUNDED);
    if (bounded.size() > ColumnBounds.COLUMNS_MAX) {
      throw json.wrong(BOUNDED);
    }
    return new FollowerState(follower, version, columns, schema, bounded);
  }
}
