package io.repave.hadoop.upload;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The upload memory is a real limit: 32 tasks in an executor of 1 GiB write {@code -Drepave.mib}
 * MiB without running out of heap, with any size of G1's regions.
 */
@Tag("heap")
class UploadHeapTest {
  private static final int MIB = Integer.getInteger("repave.mib", 2048);
  private static final Pattern ANSWER = Pattern.compile("alive (\\d+), counted (\\d+)");

  @ParameterizedTest
  @CsvSource({"256, 1m", "256, 8m", "600, 8m"})
  void aSmallExecutorKeepsWithinItsBudget(int budgetMib, String regionSize) throws Exception {
    long budget = (long) budgetMib << 20;
    Process program =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx1g",
                    "-XX:+UseG1GC",
                    "-XX:G1HeapRegionSize=" + regionSize,
                    "-cp",
                    System.getProperty("java.class.path"),
                    UploadProgram.class.getName(),
                    Long.toString(budget),
                    Integer.toString(MIB)))
            .redirectErrorStream(true)
            .start();
    String said = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(program.waitFor()).as(said).isZero();
    Matcher answer = ANSWER.matcher(said);
    assertThat(answer.find()).as(said).isTrue();
    System.out.printf(
        "%d MiB by 32 tasks, budget %d MiB, regions of %s: %d MiB alive, %d MiB counted%n",
        MIB,
        budgetMib,
        regionSize,
        Long.parseLong(answer.group(1)) >> 20,
        Long.parseLong(answer.group(2)) >> 20);
    // At least a good part of it: the tasks did use their memory.
    assertThat(Long.parseLong(answer.group(1))).isBetween(budget / 4, budget * 115 / 100);
  }
}
