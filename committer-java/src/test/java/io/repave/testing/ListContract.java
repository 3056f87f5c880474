package io.repave.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.testing.StoreUnderTest.Capability;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Listings name every key of a folder once, in UTF-8 order, over any number of pages. */
interface ListContract extends StoreContract {
  @Test
  default void anEmptyFolderHasNoKeys() throws IOException {
    Sandbox box = sandbox();

    ListPage page = box.store.list(box.folder, "");

    assertThat(page.objects()).isEmpty();
    assertThat(page.more()).isFalse();
  }

  @Test
  default void keysAreListedHoweverDeep() throws IOException, InterruptedException {
    Sandbox box = sandbox();
    List<String> names = List.of("a", "b/c", "b/d/e", "b/d/f/g");

    box.putAll(names);

    assertThat(box.names()).isEqualTo(names);
  }

  /** In the order of UTF-16, which is Java's, the last two would change places. */
  @Test
  default void keysComeInTheOrderOfTheirUtf8Bytes() throws IOException, InterruptedException {
    Sandbox box = sandbox();
    List<String> names =
        new ArrayList<>(
            List.of(
                "A",
                "a",
                "a b",
                "a!",
                "a-",
                "a/b",
                "a0",
                "a0/b",
                "aa",
                "b",
                "é",
                "Ω",
                "日",
                "\uD7FF",
                "\uE000",
                "\uFFFD",
                "\uD800\uDC00",
                "\uD83D\uDE00",
                "\uDBFF\uDFFD"));

    box.putAll(names);

    names.sort(Utf8.ORDER);
    assertThat(box.names()).isEqualTo(names);
    assertThat(names).isNotEqualTo(names.stream().sorted().toList());
  }

  @Test
  default void aFolderDoesNotHoldItsNamesakes() throws IOException, InterruptedException {
    Sandbox box = sandbox();
    box.putAll(List.of("dt=1/a", "dt=10/a", "dt=1-old/a", "dt=1.bak", "dt=1", "dt=2/a"));

    assertThat(box.names(box.at("dt=1"))).containsExactly("dt=1/a");
    assertThat(box.names(box.at("dt=10"))).containsExactly("dt=10/a");
    assertThat(box.names(box.at("dt="))).isEmpty();
  }

  @Test
  default void aKeyThatEndsInASlashIsListedInItsFolder() throws IOException {
    Sandbox box = sandbox();
    box.put("dt=1/", "");
    box.put("dt=1/a", "x");

    assertThat(box.names(box.at("dt=1"))).containsExactly("dt=1/", "dt=1/a");
  }

  @Test
  default void aListingTellsSizesAndTags() throws IOException {
    Sandbox box = sandbox();
    String one = box.put("a", "1");
    String three = box.put("b", "333");

    List<ListedObject> listed = box.list(box.folder);

    assertThat(listed).extracting(ListedObject::bytes).containsExactly(1L, 3L);
    assertThat(listed).extracting(ListedObject::etag).containsExactly(one, three);
  }

  @Test
  default void aListingStartsAfterTheNamedKey() throws IOException, InterruptedException {
    Sandbox box = sandbox();
    box.putAll(List.of("a", "b", "c"));

    assertThat(after(box, "a")).containsExactly("b", "c");
    assertThat(after(box, "aa")).containsExactly("b", "c");
    assertThat(after(box, "c")).isEmpty();
    assertThat(after(box, "zz")).isEmpty();
  }

  @Test
  default void aListingMayStartAfterAKeyOutsideItsFolder() throws IOException {
    Sandbox box = sandbox();
    box.put("dt=1/a", "x");
    box.put("dt=2/a", "x");

    String before = box.at("dt=0").key();
    String behind = box.at("dt=3").key();

    assertThat(firstFull(box, box.at("dt=1"), before)).hasSize(1);
    assertThat(firstFull(box, box.at("dt=1"), behind)).isEmpty();
  }

  @Test
  default void aListingGoesOnAfterAKeyOfAnyCharacters() throws IOException, InterruptedException {
    Sandbox box = sandbox();
    box.assumes(Capability.ANY_CHARACTERS);
    List<String> names =
        new ArrayList<>(
            List.of(
                "a b", "a+b", "a%20b", "a&b", "a%2Fb", "é", "日", "\uFFFD", "\uD83D\uDE00", "~"));
    box.putAll(names);
    names.sort(Utf8.ORDER);

    for (int i = 0; i < names.size(); i++) {
      assertThat(after(box, names.get(i)))
          .as("after '%s'", names.get(i))
          .isEqualTo(names.subList(i + 1, names.size()));
    }
  }

  /** The folder grows past the sizes at which a page is full. */
  @Test
  default void everyKeyIsListedOnceOverThePages() throws IOException, InterruptedException {
    Sandbox box = sandbox();
    List<String> names = new ArrayList<>();
    for (int size : List.of(999, 1000, 1001, 2001)) {
      List<String> more =
          IntStream.range(names.size(), size)
              .mapToObj(i -> "dt=%d/part-%05d".formatted(i % 2, i))
              .toList();
      box.putAll(more);
      names.addAll(more);

      assertThat(box.names()).as("%d keys", size).isEqualTo(names.stream().sorted().toList());
    }

    box.delete(names);
    assertThat(box.names()).isEmpty();
  }

  @Test
  default void theRootOfABucketIsAFolder() throws IOException {
    Sandbox box = sandbox();
    Location root = new Location(box.folder.bucket(), "");
    String name = "root-" + box.folder.key().replace('/', '-');
    Location at = root.resolve(name);
    box.store.put(at, Sandbox.bytes("x"));
    box.put("a", "x");

    assertThat(firstFull(box, root, name.substring(0, name.length() - 1))).contains(name);
    assertThat(firstFull(box, root, box.folder.key())).contains(box.at("a").key());
    box.store.delete(List.of(at));
  }

  @Test
  default void bucketsAreApart() throws IOException {
    Sandbox box = sandbox();
    box.assumes(StoreUnderTest.Capability.TWO_BUCKETS);
    box.put("a", "here");
    box.store.put(box.elsewhere("b"), Sandbox.bytes("there"));
    String open = box.store.createUpload(box.elsewhere("c"));

    assertThat(box.names()).containsExactly("a");
    assertThat(box.names(box.elsewhere(""))).containsExactly("b");
    assertThat(box.store.head(box.elsewhere("a"))).isEmpty();
    assertThat(box.uploads(box.folder)).isEmpty();
    box.store.delete(List.of(box.at("b")));
    box.store.abort(box.at("c"), open);

    assertThat(box.store.head(box.elsewhere("b"))).isPresent();
    assertThat(box.uploads(box.elsewhere(""))).hasSize(1);
    box.store.abort(box.elsewhere("c"), open);
  }

  @Test
  default void everyWriteAndDeleteIsSeenByTheNextListing() throws IOException {
    Sandbox box = sandbox();

    for (int i = 0; i < 10; i++) {
      box.put("a" + i, "x");
      assertThat(box.names()).containsExactly("a" + i);
      box.store.delete(List.of(box.at("a" + i)));
      assertThat(box.names()).isEmpty();
    }
  }

  private static List<String> after(Sandbox box, String name) throws StoreException {
    int folder = box.folder.key().length() + 1;
    return firstFull(box, box.folder, box.at(name).key()).stream()
        .map(key -> key.substring(folder))
        .toList();
  }

  /** The keys after one: up to a page of them, put together of short pages where there are such. */
  private static List<String> firstFull(Sandbox box, Location from, String after)
      throws StoreException {
    List<String> keys = new ArrayList<>();
    ListPage page = box.store.list(from, after);
    page.objects().forEach(each -> keys.add(each.key()));
    while (page.more() && keys.size() < 100) {
      page = box.store.list(from, page.last());
      page.objects().forEach(each -> keys.add(each.key()));
    }
    return keys;
  }
}
