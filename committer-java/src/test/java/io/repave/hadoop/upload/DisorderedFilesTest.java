package io.repave.hadoop.upload;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.hadoop.footer.FileOrder;
import io.repave.hadoop.footer.ParquetFooter;
import io.repave.hadoop.footer.StatsColumns;
import io.repave.hadoop.footer.WantedFacts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files of random values, in order and not in order. */
@Timeout(120)
class DisorderedFilesTest {
  private static ParquetFooter.Content content(byte[] file, String order) {
    FileOrder wanted = FileOrder.of(order).orElseThrow();
    WantedFacts facts = WantedFacts.of(StatsColumns.NONE, wanted);
    return new PassingFile(facts).last(new ArrayPart(file));
  }

  /** Random values of one type in order, and what puts them out of order. */
  private record Sample(String columns, List<Object> sorted) {
    static Sample of(Random random, int rows) {
      int range = 2 + random.nextInt(1_000);
      return switch (random.nextInt(5)) {
        case 0 ->
            sample("int64 c", rows, () -> (Object) (long) (random.nextInt(range) - range / 2));
        case 1 -> sample("int32 c (DATE)", rows, () -> (Object) random.nextInt(range));
        case 2 -> sample("double c", rows, () -> (Object) (random.nextInt(range) / 4.0 - 20));
        case 3 -> sample("binary c (STRING)", rows, () -> (Object) ("t" + random.nextInt(range)));
        default ->
            sample(
                "int64 c (TIMESTAMP(MICROS,true))", rows, () -> (Object) random.nextLong(1L << 50));
      };
    }

    private static Sample sample(String column, int rows, Supplier<Object> value) {
      List<Object> values = new ArrayList<>();
      for (int i = 0; i < rows; i++) {
        values.add(value.get());
      }
      values.sort(order());
      return new Sample("optional " + column + ";", values);
    }

    @SuppressWarnings("unchecked")
    static Comparator<Object> order() {
      return (left, right) -> ((Comparable<Object>) left).compareTo(right);
    }
  }

  private static List<Object[]> rows(List<Object> values) {
    return values.stream().map(it -> new Object[] {it}).toList();
  }

  /** As a swap, as runs that were not merged, or as runs that were merged by turns. */
  private static Optional<List<Object>> disordered(Random random, List<Object> sorted, int page) {
    List<Object> values = new ArrayList<>(sorted);
    int size = values.size();
    int half = size / 2;
    switch (random.nextInt(4)) {
      case 0 -> {
        int one = random.nextInt(page);
        int other = page + random.nextInt(size - page);
        Collections.swap(values, one, other);
      }
      case 1 -> Collections.rotate(values, half);
      case 2 -> Collections.reverse(values);
      default -> {
        values.clear();
        for (int i = 0; i < half; i++) {
          values.addAll(List.of(sorted.get(i), sorted.get(half + i)));
        }
        values.addAll(sorted.subList(2 * half, size));
      }
    }
    // Equal values leave the pages in order.
    for (int at = page; at < size; at += page) {
      Object before = Collections.max(values.subList(at - page, at), Sample.order());
      Object after = Collections.min(values.subList(at, Math.min(at + page, size)), Sample.order());
      if (Sample.order().compare(before, after) > 0) {
        return Optional.of(values);
      }
    }
    return Optional.empty();
  }

  @Test
  void everyDisorderedFileOfSeveralPagesIsCaughtAndNoOrderedOne() throws IOException {
    int files = 0;
    for (int seed = 0; files < 1_000; seed++) {
      Random random = new Random(seed);
      int page = 1 + random.nextInt(20);
      Sample sample = Sample.of(random, page + 1 + random.nextInt(6 * page));
      Optional<List<Object>> wrong = disordered(random, sample.sorted(), page);
      if (wrong.isEmpty()) {
        continue;
      }
      files++;
      boolean descending = random.nextBoolean();
      String order = descending ? "c desc" : "c";
      List<Object> right = new ArrayList<>(sample.sorted());
      if (descending) {
        Collections.reverse(right);
      }
      byte[] ordered = ParquetBytes.rows(sample.columns(), ParquetBytes.pages(page), rows(right));
      assertThat(content(ordered, order).disorder()).as("seed %d", seed).isEmpty();
      assertThat(content(ordered, order).facts().ordered()).as("seed %d", seed).hasValue(order);
      byte[] disordered =
          ParquetBytes.rows(sample.columns(), ParquetBytes.pages(page), rows(wrong.get()));
      assertThat(content(disordered, "c").disorder()).as("seed %d", seed).isPresent();
    }
  }
}
