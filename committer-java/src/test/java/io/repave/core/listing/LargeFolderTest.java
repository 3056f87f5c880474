package io.repave.core.listing;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.CountedStore.Request;
import io.repave.core.record.CommitKind;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.ParallelRunner;
import io.repave.core.store.Utf8Order;
import io.repave.testing.SequentialRunner;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** A folder with very many files is listed in parts, in parallel. */
class LargeFolderTest {
  private static final int PARTITIONS = 40;
  private static final int OLD_FILES = 400;

  /** Notes how many actions each call has. */
  private static final class CountingRunner implements ParallelRunner {
    private final ParallelRunner runner = new SequentialRunner();
    private final List<Integer> counts = new ArrayList<>();

    @Override
    public <T> void each(Iterator<? extends T> items, Action<T> action)
        throws IOException, InterruptedException {
      List<T> all = new ArrayList<>();
      items.forEachRemaining(all::add);
      counts.add(all.size());
      runner.each(all.iterator(), action);
    }
  }

  private static String[] partitions() {
    String[] partitions = new String[PARTITIONS];
    for (int i = 0; i < PARTITIONS; i++) {
      partitions[i] = "dt=%02d".formatted(i);
    }
    return partitions;
  }

  @Test
  void anOverwriteOfTheWholeTableListsItInParts() throws Exception {
    TestTable table = new TestTable();
    for (String partition : partitions()) {
      for (int i = 0; i < OLD_FILES; i++) {
        table.foreign(partition + "/old-%05d.parquet".formatted(i));
      }
    }
    CountingRunner runner = new CountingRunner();
    var process = table.open(table.process().runner(runner).ports());
    table.job(process, CommitKind.STATIC, partitions()).commit();

    assertThat(table.files()).hasSize(PARTITIONS);
    long pages = PARTITIONS * OLD_FILES / 1_000;
    assertThat(runner.counts).contains((int) pages / 4);
    assertThat(table.counted.counts().get(Request.LIST)).isLessThanOrEqualTo(pages + pages / 4 + 2);
  }

  /** Wherever it is divided, each key is found once. */
  @Test
  void aDividedScanFindsWhatAScanFinds() throws Exception {
    for (long seed = 0; seed < 500; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      TreeSet<String> keys = new TreeSet<>(Utf8Order.KEYS);
      for (int i = 0; i < random.nextInt(60); i++) {
        keys.add("t/" + word(random));
      }
      FolderScan.Pages pages = after -> page(keys, after, 1 + random.nextInt(5));
      FolderScan scan = new FolderScan(pages, "t/_repave/", List.of("t/"));
      List<String> found = new ArrayList<>();
      for (int page = random.nextInt(3); page > 0 && !scan.done(); page--) {
        scan.page(object -> found.add(object.key()));
      }
      TreeSet<String> borders = new TreeSet<>(Utf8Order.KEYS);
      for (int i = 0; i < 5; i++) {
        String border = "t/" + word(random) + "/";
        if (!scan.isPast(border)) {
          borders.add(border);
        }
      }
      List<FolderScan> parts = scan.done() ? List.of() : scan.dividedAfter(List.copyOf(borders));
      for (FolderScan part : parts) {
        while (!part.done()) {
          part.page(object -> found.add(object.key()));
        }
      }
      Collections.sort(found, Utf8Order.KEYS);
      assertThat(found).as("seed %d", seed).containsExactlyElementsOf(keys);
    }
  }

  private static String word(SplittableRandom random) {
    StringBuilder word = new StringBuilder();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      word.append("ab/=".charAt(random.nextInt(4)));
    }
    return word.toString();
  }

  private static ListPage page(TreeSet<String> keys, String after, int size) {
    List<ListedObject> objects = new ArrayList<>();
    String last = after;
    for (String key : keys.tailSet(after, false)) {
      if (objects.size() == size) {
        return new ListPage(objects, true, last);
      }
      objects.add(new ListedObject(key, 1, "etag", 0, ListedObject.UNKNOWN_AGE));
      last = key;
    }
    return new ListPage(objects, false, last);
  }
}
