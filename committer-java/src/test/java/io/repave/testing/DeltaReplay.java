package io.repave.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.repave.core.record.TablePaths;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Reads a Delta log as its readers do: from version 0 on, until a file is missing. */
public final class DeltaReplay {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final List<JsonNode> actions = new ArrayList<>();
  private final Map<String, JsonNode> live = new TreeMap<>();
  private final Set<String> files = new TreeSet<>();
  private int versions;
  private JsonNode metaData;
  private JsonNode protocol;

  private DeltaReplay() {}

  public static DeltaReplay of(MemoryObjectStore store, TablePaths paths) {
    DeltaReplay replay = new DeltaReplay();
    store.objects().keySet().stream()
        .filter(paths.deltaLog()::holds)
        .map(at -> paths.deltaLog().relative(at))
        .filter(name -> name.endsWith(".json"))
        .forEach(replay.files::add);
    replay.read(store, paths, Integer.MAX_VALUE);
    return replay;
  }

  private void read(MemoryObjectStore store, TablePaths paths, int last) {
    while (versions <= last) {
      String name = String.format(Locale.ROOT, "%020d.json", versions);
      HeldObject file = store.objects().get(paths.deltaLog().resolve(name));
      if (file == null) {
        return;
      }
      new String(file.content(), StandardCharsets.UTF_8).lines().forEach(this::apply);
      versions++;
    }
  }

  private void apply(String line) {
    try {
      JsonNode action = JSON.readTree(line);
      actions.add(action);
      if (action.has("add")) {
        live.put(path(action.get("add")), action.get("add"));
      } else if (action.has("remove")) {
        live.remove(path(action.get("remove")));
      } else if (action.has("metaData")) {
        metaData = action.get("metaData");
      } else if (action.has("protocol")) {
        protocol = action.get("protocol");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String path(JsonNode action) {
    String path = action.get("path").asText().replace("+", "%2B");
    return URLDecoder.decode(path, StandardCharsets.UTF_8);
  }

  /** Reads the checkpoint of a version, which a test wrote as lines of JSON, on its own. */
  public static DeltaReplay ofCheckpoint(byte[] content) {
    DeltaReplay replay = new DeltaReplay();
    new String(content, StandardCharsets.UTF_8).lines().forEach(replay::apply);
    return replay;
  }

  /** Reads the versions up to one. */
  public static DeltaReplay of(MemoryObjectStore store, TablePaths paths, int last) {
    DeltaReplay replay = new DeltaReplay();
    replay.read(store, paths, last);
    return replay;
  }

  /** The newest version of the log; -1 when there is none. */
  public int version() {
    return versions - 1;
  }

  /** True when the folder holds exactly the files of these versions. */
  public boolean isWhole() {
    return files.size() == versions;
  }

  /** The paths of the live files, relative to the table. */
  public Set<String> live() {
    return live.keySet();
  }

  public JsonNode add(String path) {
    return live.get(path);
  }

  public JsonNode metaData() {
    return metaData;
  }

  public JsonNode protocol() {
    return protocol;
  }

  /** All actions of a name, in order. */
  public List<JsonNode> all(String name) {
    return actions.stream().filter(it -> it.has(name)).map(it -> it.get(name)).toList();
  }
}
