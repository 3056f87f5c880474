package io.repave.testing;

import static io.repave.testing.Sandbox.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.store.Location;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.StoreUnderTest.Capability;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys are kept byte for byte, through HTTP, XML and file systems. */
interface KeyContract extends StoreContract {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "a b",
        "a+b",
        "a%b",
        "a%20b",
        "a%2Fb",
        "dt=2026-11-21/part-0.parquet",
        "x=__HIVE_DEFAULT_PARTITION__/part-0",
        "a&b<c>d",
        "it's \"quoted\"",
        "a;b,c:d@e$f!g*h(i)",
        "a#b?c=d",
        "a\\b|c^d`e{f}[g]~",
        "a//b",
        "folder/",
        " leading and trailing ",
        "übergröße/日本語/Ελληνικά",
        "\uE000 private and \uFFFD",
        "\uD83D\uDE00 beyond the basic plane",
        "tab\tin it",
        "carriage\rreturn",
        ".hidden/..dots..",
      })
  default void aKeyIsKeptByteForByte(String name) throws IOException {
    assertKept(sandbox(), name);
  }

  @Test
  default void aLineBreakInAKeyIsKept() throws IOException {
    Sandbox box = sandbox();
    box.assumes(Capability.LINE_BREAKS);

    assertKept(box, "two\nlines");
  }

  private static void assertKept(Sandbox box, String name) throws IOException {
    PendingUpload upload = box.upload("uploaded " + name, "up");

    box.put(name, name);
    box.store.complete(upload);

    assertThat(box.text(name)).isEqualTo(name);
    assertThat(box.text("uploaded " + name)).isEqualTo("up");
    assertThat(box.names()).containsExactlyInAnyOrder(name, "uploaded " + name);
    assertThat(box.store.head(box.at(name)).orElseThrow().key()).isEqualTo(box.at(name).key());
    assertThat(box.store.delete(List.of(box.at(name)))).isEmpty();
    assertThat(box.names()).containsExactly("uploaded " + name);
  }

  @Test
  default void keysThatLookAlikeAreDifferent() throws IOException {
    Sandbox box = sandbox();
    List<String> names =
        List.of("e\u0301", "\u00E9", "E", "e", "a b", "a+b", "a%20b", "a/b", "a%2Fb", "a//b");

    for (String name : names) {
      box.put(name, name);
    }

    assertThat(box.names()).containsExactlyInAnyOrderElementsOf(names);
    for (String name : names) {
      assertThat(box.text(name)).isEqualTo(name);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "é", "日", "\uD83D\uDE00"})
  default void aKeyOf1024BytesIsKept(String filler) throws IOException {
    Sandbox box = sandbox();
    Location longest = longest(box, filler);

    box.store.put(longest, Sandbox.bytes("x"));

    assertThat(box.store.head(longest)).isPresent();
    assertThat(box.list(box.folder)).extracting(each -> each.key()).containsExactly(longest.key());
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "é", "日", "\uD83D\uDE00"})
  default void aKeyOfMoreThan1024BytesIsInvalid(String filler) throws IOException {
    Sandbox box = sandbox();
    box.assumes(Capability.KEY_LIMIT);
    Location tooLong = new Location(box.folder.bucket(), longest(box, filler).key() + "z");

    assertThat(failure(() -> box.store.put(tooLong, Sandbox.bytes("x")))).isEqualTo(Kind.INVALID);
    assertThat(failure(() -> box.store.createUpload(tooLong))).isEqualTo(Kind.INVALID);
    assertThat(box.names()).isEmpty();
  }

  /** A key of 1,024 bytes. */
  private static Location longest(Sandbox box, String filler) {
    StringBuilder key = new StringBuilder(box.folder.key()).append('/');
    while (Utf8.bytes(key) + Utf8.bytes(filler) <= 1024) {
      // File systems allow a name 255 bytes.
      boolean full = Utf8.bytes(key.substring(key.lastIndexOf("/"))) > 200;
      key.append(full ? "/" : filler);
    }
    key.append("y".repeat(1024 - Utf8.bytes(key)));
    return new Location(box.folder.bucket(), key.toString());
  }
}
