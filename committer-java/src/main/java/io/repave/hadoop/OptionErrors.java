package io.repave.hadoop;

import io.repave.core.error.InvalidConfigException;

/** The errors of blocks of options. Each says what to change in the program. */
final class OptionErrors {
  private OptionErrors() {}

  static InvalidConfigException blockWithoutOptions() {
    return new InvalidConfigException(
        "A block of write options has no option. Give it one, such as repave.token or repave.only.");
  }

  static InvalidConfigException twoBlocksDiffer(String key, String outer, String inner) {
    return new InvalidConfigException(
        "Two blocks of write options, one inside the other, give "
            + key
            + ": '"
            + outer
            + "' and '"
            + inner
            + "'. Nothing was written. Give it once, or the same value twice.");
  }

  static InvalidConfigException tooManyBlocks(int most) {
    return new InvalidConfigException(
        most
            + " blocks of write options are open, which is the limit. Close each block when its"
            + " writes are done.");
  }

  static InvalidConfigException blockHasEnded() {
    return new InvalidConfigException(
        "This thread was started inside a block of write options that has ended, so the options of"
            + " this write are not known. Nothing was written. Start the thread or the streaming"
            + " query outside the block, and open a block around each write. If this thread comes"
            + " from a pool: sparkContext.setLocalProperty(\"repave.write.options\", null) makes it"
            + " usable again.");
  }
}
