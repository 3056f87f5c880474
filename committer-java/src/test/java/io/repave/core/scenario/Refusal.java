package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Objects;
import java.util.stream.Stream;

/** What the engine may answer to a record that it cannot use. */
final class Refusal {
  private Refusal() {}

  /** A recovery goes on after a bug of the engine, and tells it as an IOException. */
  static void requireNoBug(IOException refusal, String what) {
    assertThat(Stream.<Throwable>iterate(refusal, Objects::nonNull, Throwable::getCause))
        .as(what)
        .noneMatch(it -> it instanceof RuntimeException);
  }
}
