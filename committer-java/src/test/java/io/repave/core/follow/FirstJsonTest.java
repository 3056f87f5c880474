package io.repave.core.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The first line of a file in a folder to which other programs write too. */
class FirstJsonTest {
  private static long version(String content) {
    return FirstJson.of(content.getBytes(StandardCharsets.UTF_8)).path("version").asLong(-1);
  }

  @Test
  void whatFollowsTheFirstValueIsNotRead() {
    assertThat(version("{\"version\":7}\n{\"version\":8}\n")).isEqualTo(7);
    assertThat(version("{\"version\":7}\n" + " ".repeat(2 << 20) + "?")).isEqualTo(7);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "?", "{\"version\":7", "[7]", "7"})
  void anythingElseHasNoMembers(String content) {
    assertThat(version(content)).isEqualTo(-1);
  }

  /** A tree of it would fill the memory. */
  @Test
  void aLongOrDeepValueHasNoMembers() {
    assertThat(version("{\"a\":\"" + "x".repeat(1 << 20) + "\",\"version\":7}")).isEqualTo(-1);
    assertThat(version("[".repeat(100_000) + "]".repeat(100_000))).isEqualTo(-1);
  }
}
