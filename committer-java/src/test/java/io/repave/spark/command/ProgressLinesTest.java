package io.repave.spark.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.repave.core.engine.Step;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressLinesTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private long millis;
  private final ProgressLines progress =
      new ProgressLines(
          new PrintStream(bytes, true, StandardCharsets.UTF_8),
          () -> TimeUnit.MILLISECONDS.toNanos(millis));

  @Test
  void aStepIsOneLineOfJsonBehindItsMark() {
    progress.at(Step.COMPLETE_UPLOADS, 0, 3);
    String line = "repave-progress {\"step\":\"complete-uploads\",\"done\":0,\"total\":3}";
    assertEquals(List.of(line), lines());
  }

  @Test
  void aMillionFilesAreNotAMillionLines() {
    for (int done = 0; done <= 1_000_000; done++) {
      millis = done / 1_000;
      progress.at(Step.RETIRE, done, 1_000_000);
    }
    // The first, ten a second for a second, the last.
    assertEquals(11, lines().size());
    assertEquals(true, lines().get(10).contains("\"done\":1000000,"));
  }

  @Test
  void everyStepIsNamedHoweverFastItEnds() {
    progress.at(Step.RESERVE, 0, 0);
    progress.at(Step.PLAN, 0, 0);
    progress.at(Step.PUBLISH, 0, 0);
    assertEquals(3, lines().size());
  }

  private List<String> lines() {
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }
}
