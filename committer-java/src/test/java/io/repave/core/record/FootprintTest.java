package io.repave.core.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.store.Utf8Order;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A footprint reads the right shards of a checkpoint: too many is slow, one too few is wrong. */
class FootprintTest {
  private static Footprint of(String... folders) {
    return Footprint.of(List.of(folders));
  }

  @ParameterizedTest
  @CsvSource({
    "dt=1, dt=1, dt=1, true",
    "dt=2, dt=1, dt=3, true",
    "dt=1, dt=1/hour=1, dt=1/hour=9, true",
    "dt=1, dt=0, dt=1/hour=1, true",
    "dt=1, dt=1-a, dt=1/hour=1, true",
    "dt=1, dt=1-a, dt=1-b, false",
    "dt=1, dt=10, dt=19, false",
    "dt=4, dt=1, dt=3, false",
    "dt=1/hour=2, dt=1, dt=1/hour=1, false",
  })
  void aShardIsReadWhenItMayHoldACoveredFolder(
      String folder, String first, String last, boolean meets) {
    assertThat(of(folder).mayCoverBetween(first, last)).isEqualTo(meets);
  }

  /** A cancel without the ledger searches the folders outside that the outline names. */
  @Test
  void anOutlineCoversEveryFolderInLittleSpace() {
    List<String> days = IntStream.range(0, 40).mapToObj("dt=2026-11-%02d"::formatted).toList();
    List<String> annex = days.stream().map(day -> "s3://cold/annex/year=2026/" + day).toList();
    List<String> buckets = days.stream().map(day -> "s3://cold-" + day + "/annex/x").toList();
    assertThat(outline(days)).containsExactly("");
    assertThat(outline(with(days, List.of("s3://cold/annex/dt=1"))))
        .containsExactly("", "s3://cold/annex/dt=1");
    assertThat(outline(annex)).containsExactly("s3://cold/annex/year=2026");
    assertThat(outline(with(days, annex))).containsExactly("", "s3://cold/annex/year=2026");
    assertThat(outline(buckets)).isEmpty();
    assertThat(outline(List.of("s3://cold/" + "x".repeat(300)))).isEmpty();
    assertThat(outline(List.of("dt=1", "s3://cold/x"))).containsExactly("dt=1", "s3://cold/x");
    assertThat(Footprint.EVERYTHING.outline()).isEmpty();
  }

  private static List<String> outline(List<String> folders) {
    return Footprint.of(folders).outline();
  }

  private static List<String> with(List<String> inside, List<String> outside) {
    return Stream.concat(inside.stream(), outside.stream()).toList();
  }

  @Test
  void theWholeTableOverlapsAShardThatBeginsOutside() {
    assertThat(of("").mayCoverBetween("s3://a/x", "z=1")).isTrue();
  }

  @Test
  void whatReachesAFolderIsInsideItOrAroundItButNotBesideIt() {
    Footprint reaching = Footprint.reaching(List.of("dt=1/hour=2"));
    assertThat(List.of("dt=1/hour=2", "dt=1/hour=2/m=3", "dt=1", "")).allMatch(reaching::covers);
    assertThat(List.of("dt=1/hour=3", "dt=1/hour=20", "dt=2", "s3://other/dt=1"))
        .noneMatch(reaching::covers);
    assertThat(reaching.mayCoverBetween("dt=0", "dt=1")).isTrue();
    assertThat(reaching.mayCoverBetween("dt=1/hour=3", "dt=2")).isFalse();
    assertThat(Footprint.reaching(List.of("")).covers("s3://other/dt=1")).isTrue();
  }

  @Test
  void noCoveredFolderIsMissed() {
    Random random = new Random(1);
    String[] pieces = {"a", "b", "/", "-", "0", "\u00e9", "\uD83D\uDE00"};
    int covered = 0;
    for (int round = 0; round < 200_000; round++) {
      String folder = name(random, pieces);
      Footprint footprint = round % 2 == 0 ? of(folder) : Footprint.reaching(List.of(folder));
      List<String> names = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        names.add(name(random, pieces));
      }
      names.sort(Utf8Order.KEYS);
      if (footprint.covers(names.get(1))) {
        covered++;
        assertThat(footprint.mayCoverBetween(names.get(0), names.get(2)))
            .as("%s between %s", footprint.folders(), names)
            .isTrue();
      }
    }
    assertThat(covered).isGreaterThan(1_000);
  }

  private static String name(Random random, String[] pieces) {
    StringBuilder name = new StringBuilder("a");
    for (int i = random.nextInt(4); i > 0; i--) {
      name.append(pieces[random.nextInt(pieces.length)]);
    }
    return name.toString();
  }
}
