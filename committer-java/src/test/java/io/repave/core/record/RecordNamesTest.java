package io.repave.core.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidRecordException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names in records become parts of keys. */
class RecordNamesTest {
  @ParameterizedTest
  @ValueSource(strings = {"dt=1/a", "dt=é", "dt=\uD83D\uDE00", "dt=\uFFFD", "dt=?"})
  void aNameThatCanBeAKeyIsAccepted(String path) throws Exception {
    assertThat(RecordNames.checkPath(path, "here")).isEqualTo(path);
  }

  /** A store would get a question mark for it, and with that the key of another file. */
  @ParameterizedTest
  @ValueSource(strings = {"dt=\uD83D", "dt=\uDE00", "\uDE00\uD83D", "é/\uD83Da"})
  void halfOfASurrogatePairIsRefused(String path) {
    assertThatThrownBy(() -> RecordNames.checkPath(path, "here"))
        .isInstanceOf(InvalidRecordException.class);
  }

  @Test
  void aNameOfMoreBytesThanAKeyIsRefused() {
    String longest = "é".repeat(512);
    assertThatThrownBy(() -> RecordNames.checkPath(longest + "é", "here"))
        .isInstanceOf(InvalidRecordException.class);
  }
}
