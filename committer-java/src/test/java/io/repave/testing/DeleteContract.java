package io.repave.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Deletes remove exactly the named keys, in pages. */
interface DeleteContract extends StoreContract {
  @Test
  default void aDeletedKeyIsAbsentAtOnce() throws IOException {
    Sandbox box = sandbox();
    box.put("a", "x");

    assertThat(box.store.delete(List.of(box.at("a")))).isEmpty();

    assertThat(box.has("a")).isFalse();
    assertThat(box.store.read(box.at("a"), 10)).isEmpty();
    assertThat(box.names()).isEmpty();
  }

  @Test
  default void anAbsentKeyCountsAsDeleted() throws IOException {
    Sandbox box = sandbox();
    box.put("a", "x");

    assertThat(box.store.delete(List.of(box.at("never"), box.at("a")))).isEmpty();
    assertThat(box.store.delete(List.of(box.at("never"), box.at("a")))).isEmpty();

    assertThat(box.names()).isEmpty();
  }

  @Test
  default void aFullPageOfKeysIsDeletedInOneCall() throws IOException, InterruptedException {
    Sandbox box = sandbox();
    List<String> names = IntStream.range(0, 300).mapToObj("part-%03d"::formatted).toList();
    box.putAll(names);
    // Every fifth key of the page is absent.
    List<Location> page = new ArrayList<>();
    for (int i = 0; i < ObjectStore.DELETE_PAGE; i++) {
      page.add(box.at(i % 5 == 0 ? "absent-" + i : names.get(i)));
    }

    assertThat(box.store.delete(page)).isEmpty();

    List<String> left =
        IntStream.range(0, 300)
            .filter(i -> i >= ObjectStore.DELETE_PAGE || i % 5 == 0)
            .mapToObj(names::get)
            .toList();
    assertThat(box.names()).isEqualTo(left);
  }

  @Test
  default void aDeleteOfNothingDoesNothing() throws IOException {
    assertThat(sandbox().store.delete(List.of())).isEmpty();
  }

  @Test
  default void aDeleteOverAPageOrInTwoBucketsIsTheCallersMistake() throws IOException {
    Sandbox box = sandbox();
    box.put("part-0", "x");
    List<Location> tooMany =
        IntStream.rangeClosed(0, ObjectStore.DELETE_PAGE)
            .mapToObj(i -> box.at("part-" + i))
            .toList();
    List<Location> twoBuckets = List.of(box.at("part-0"), new Location("another", "part-0"));

    assertThatThrownBy(() -> box.store.delete(tooMany))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> box.store.delete(twoBuckets))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(box.names()).containsExactly("part-0");
  }

  @Test
  default void aDeleteTakesNoKeyThatOnlyStartsAlike() throws IOException, InterruptedException {
    Sandbox box = sandbox();
    box.putAll(List.of("a", "a/b", "a/", "ab", "a.bak"));

    box.store.delete(List.of(box.at("a")));

    assertThat(box.names()).containsExactly("a.bak", "a/", "a/b", "ab");
  }

  @Test
  default void aFolderIsNotDeletedByItsName() throws IOException, InterruptedException {
    Sandbox box = sandbox();
    box.putAll(List.of("dt=1/a", "dt=1/b"));

    box.store.delete(List.of(box.at("dt=1"), box.at("dt=1/")));

    assertThat(box.names()).containsExactly("dt=1/a", "dt=1/b");
  }

  @Test
  default void aKeyIsDeletedLiterally() throws IOException, InterruptedException {
    Sandbox box = sandbox();
    List<String> kept = List.of("a b", "a/b", "ab", "a&b", "é");
    box.putAll(kept);

    box.store.delete(
        List.of(
            box.at("a%20b"),
            box.at("a+b"),
            box.at("a%2Fb"),
            box.at("a*"),
            box.at("a?b"),
            box.at("a&amp;b"),
            box.at("e\u0301")));

    assertThat(box.names()).containsExactlyInAnyOrderElementsOf(kept);
  }

  @Test
  default void keysOfAnyCharactersAreDeletedInOneCall() throws IOException, InterruptedException {
    Sandbox box = sandbox();
    List<String> names =
        List.of(
            "a b",
            "a+b",
            "a%20b",
            "a%2Fb",
            "a&b",
            "<a>",
            "\"a\"",
            "'a'",
            "a\rb",
            "a\tb",
            "日本",
            "\uFFFD",
            "\uD83D\uDE00",
            "]]>",
            "&lt;");
    box.putAll(names);
    assertThat(box.names()).hasSize(names.size());

    assertThat(box.store.delete(names.stream().map(box::at).toList())).isEmpty();

    assertThat(box.names()).isEmpty();
  }

  /** XML cannot express such a key, so a store may refuse a request for several keys as a whole. */
  @Test
  default void aKeyWithAControlCharacterIsDeletedAlone() throws IOException, InterruptedException {
    Sandbox box = sandbox();
    box.putAll(List.of("a\u0001b", "ab"));

    assertThat(box.store.delete(List.of(box.at("a\u0001b")))).isEmpty();

    assertThat(box.names()).containsExactly("ab");
  }

  @Test
  default void aDeleteLeavesOpenUploadsOpen() throws IOException {
    Sandbox box = sandbox();
    PendingUpload upload = box.upload("a", "new");
    box.store.delete(List.of(box.at("other")));

    box.store.complete(upload);

    assertThat(box.text("a")).isEqualTo("new");
  }

  @Test
  default void deletesOfTheSameKeysAtOnceAllSucceed() throws IOException, InterruptedException {
    Sandbox box = sandbox();
    List<String> names = IntStream.range(0, 40).mapToObj(i -> "part-" + i).toList();
    box.putAll(names);
    List<Location> keys = names.stream().map(box::at).toList();

    Sandbox.race(8, number -> assertThat(box.store.delete(keys)).isEmpty());

    assertThat(box.names()).isEmpty();
  }
}
