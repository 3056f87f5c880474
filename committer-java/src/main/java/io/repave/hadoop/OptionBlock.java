package io.repave.hadoop;

import io.repave.core.error.InvalidConfigException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The options that a part of a program gives to its writes. Spark passes the id of a block from
 * thread to thread. Threads that outlive a block keep its id, and a write of such a thread is
 * refused: its options are unknown by then.
 */
public final class OptionBlock {
  /** More blocks than a program has threads are blocks that it does not close. */
  private static final int OPEN_MAX = 10_000;

  private static final Map<String, OptionBlock> OPEN = new HashMap<>();

  private final String id = UUID.randomUUID().toString();
  private final Optional<OptionBlock> outer;
  private final Map<String, String> own;

  private OptionBlock(Optional<OptionBlock> outer, Map<String, String> own) {
    this.outer = outer;
    this.own = own;
  }

  /**
   * Opens a block inside the block with an id; {@code null} for no outer block. Its options add to
   * the outer ones. An option that both give must have one value.
   */
  public static OptionBlock open(Map<String, String> options, String outerId)
      throws InvalidConfigException {
    Map<String, String> own = new TreeMap<>();
    options.forEach((key, value) -> own.put(key, value.trim()));
    if (own.isEmpty()) {
      throw OptionErrors.blockWithoutOptions();
    }
    RepaveSettings.checkOptions(own);
    OptionBlock block = new OptionBlock(outerId == null ? Optional.empty() : find(outerId), own);
    for (Map.Entry<String, String> each : own.entrySet()) {
      Optional<String> given = block.outer.flatMap(it -> it.value(each.getKey()));
      if (given.isPresent() && !given.get().equals(each.getValue())) {
        throw OptionErrors.twoBlocksDiffer(each.getKey(), given.get(), each.getValue());
      }
    }
    synchronized (OPEN) {
      if (OPEN.size() >= OPEN_MAX) {
        throw OptionErrors.tooManyBlocks(OPEN_MAX);
      }
      OPEN.put(block.id, block);
    }
    return block;
  }

  /** The open block with an id. Refuses the id of a block that has ended. */
  public static Optional<OptionBlock> find(String id) throws InvalidConfigException {
    synchronized (OPEN) {
      OptionBlock block = OPEN.get(id);
      if (block == null) {
        throw OptionErrors.blockHasEnded();
      }
      return Optional.of(block);
    }
  }

  /** Ends the block. Returns the id of the outer one; empty if there is none. */
  public Optional<String> close() {
    synchronized (OPEN) {
      OPEN.remove(id);
    }
    return outer.map(OptionBlock::id);
  }

  public String id() {
    return id;
  }

  /** The options of this block and of those around it. */
  public Map<String, String> values() {
    Map<String, String> all = new TreeMap<>(outer.map(OptionBlock::values).orElse(Map.of()));
    all.putAll(own);
    return all;
  }

  /** The outermost block that gives an option; empty if none does. */
  public Optional<OptionBlock> giverOf(Setting setting) {
    Optional<OptionBlock> around = outer.flatMap(it -> it.giverOf(setting));
    boolean mine = around.isEmpty() && own.containsKey(setting.key());
    return mine ? Optional.of(this) : around;
  }

  private Optional<String> value(String key) {
    return Optional.ofNullable(values().get(key));
  }
}
