package io.repave.spark;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A Spark that lacks the classes which a commit calls is refused before its tasks. */
class SparkReleaseTest {
  @ParameterizedTest
  @ValueSource(strings = {"2.4.8", "3.4.4", "3.3.0-amzn-1"})
  void anOlderSparkIsRefused(String version) {
    assertThatThrownBy(() -> SparkRelease.requireSupported(version))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageStartingWith(
            "This is Spark " + version + ", and Repave needs Spark 3.5 or later");
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.5.0", "3.5.1-amzn-0", "3.10.0", "4.0.0", "4.3.0", "5.0.0", "custom"})
  void anyOtherIsNot(String version) {
    assertThatCode(() -> SparkRelease.requireSupported(version)).doesNotThrowAnyException();
  }

  @Test
  void theSparkThatRepaveIsCompiledForIsSupported() {
    assertThatCode(SparkRelease::requireSupported).doesNotThrowAnyException();
  }
}
