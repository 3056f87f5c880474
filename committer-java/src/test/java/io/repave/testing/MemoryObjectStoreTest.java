package io.repave.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.store.ListPage;
import io.repave.core.store.Location;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.core.store.UploadPage;
import io.repave.testing.Dialect.Conditions;
import io.repave.testing.Dialect.Meanwhile;
import io.repave.testing.Dialect.Pages;
import io.repave.testing.Dialect.Replay;
import io.repave.testing.Dialect.Tags;
import io.repave.testing.StoreUnderTest.Capability;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The store in memory keeps the contract in every dialect, and does what tests expect of it. */
class MemoryObjectStoreTest {
  private static final Location AT = new Location("lake", "sales/a");
  private static final Location OTHER = new Location("lake", "sales/b");

  @Nested
  class Aws implements ObjectStoreContract {
    @Override
    public StoreUnderTest storeUnderTest() {
      return underTest(Dialect.AWS);
    }
  }

  @Nested
  class Forgetful implements ObjectStoreContract {
    @Override
    public StoreUnderTest storeUnderTest() {
      return underTest(Dialect.FORGETFUL);
    }
  }

  @Nested
  class Confused implements ObjectStoreContract {
    @Override
    public StoreUnderTest storeUnderTest() {
      return underTest(Dialect.CONFUSED);
    }
  }

  @Nested
  class WithPagesOfThree implements ObjectStoreContract {
    @Override
    public StoreUnderTest storeUnderTest() {
      return underTest(Dialect.AWS.with(Pages.of(3)));
    }
  }

  @Nested
  class WithUnevenPages implements ObjectStoreContract {
    @Override
    public StoreUnderTest storeUnderTest() {
      return underTest(Dialect.AWS.with(Pages.uneven(5, 2026)).with(Tags.COUNTER));
    }
  }

  @Nested
  class WithoutConditions implements ObjectStoreContract {
    @Override
    public StoreUnderTest storeUnderTest() {
      return underTest(Dialect.AWS.with(Conditions.REJECTED));
    }
  }

  @Test
  void conditionsThatAreIgnoredLetEveryWriterWin() throws IOException {
    MemoryObjectStore store = new MemoryObjectStore(Dialect.AWS.with(Conditions.IGNORED));

    store.putIfAbsent(AT, Sandbox.bytes("1"));
    store.putIfAbsent(AT, Sandbox.bytes("2"));
    store.putIfMatch(AT, Sandbox.bytes("3"), "no such tag");

    assertThat(store.objects().get(AT).content()).isEqualTo("3".getBytes());
  }

  @Test
  void conditionsThatAreRejectedWriteNothing() {
    MemoryObjectStore store = new MemoryObjectStore(Dialect.AWS.with(Conditions.REJECTED));

    assertThat(Sandbox.failure(() -> store.putIfAbsent(AT, Sandbox.bytes("1"))))
        .isEqualTo(Kind.INVALID);
    assertThat(store.objects()).isEmpty();
  }

  @Test
  void aReplayedCompleteAnswers200ThoughTheObjectIsDeleted() throws IOException {
    for (Replay replay : Replay.values()) {
      MemoryObjectStore store = new MemoryObjectStore(Dialect.AWS.with(replay));
      PendingUpload upload = upload(store);
      store.complete(upload);
      store.delete(List.of(AT));

      Kind answer = Sandbox.failure(() -> store.complete(upload));

      Kind expected =
          switch (replay) {
            case SAME_200 -> null;
            case ABSENT -> Kind.ABSENT;
            case UNKNOWN -> Kind.UNKNOWN;
          };
      assertThat(answer).as(replay.name()).isEqualTo(expected);
      assertThat(store.objects()).isEmpty();
    }
  }

  /** Seen on AWS: the Complete answers 200 and the object is never there. */
  @Test
  void aPutOrDeleteDuringAnUploadMayHideIt() throws IOException {
    for (Meanwhile meanwhile : Meanwhile.values()) {
      MemoryObjectStore store = new MemoryObjectStore(Dialect.AWS.with(meanwhile));
      store.put(AT, Sandbox.bytes("before"));
      PendingUpload hidden = upload(store);
      store.delete(List.of(AT));
      PendingUpload after = upload(store);

      store.complete(hidden);

      assertThat(store.objects().containsKey(AT)).isEqualTo(meanwhile == Meanwhile.LOSES);
      assertThat(store.openUploads()).hasSize(1);
      store.complete(after);
      assertThat(store.objects()).containsOnlyKeys(AT);
    }
  }

  @Test
  void tagsOfContentComeBackAndTagsOfACounterDoNot() throws IOException {
    for (Tags tags : Tags.values()) {
      MemoryObjectStore store = new MemoryObjectStore(Dialect.AWS.with(tags));

      String first = store.put(AT, Sandbox.bytes("A"));
      store.put(AT, Sandbox.bytes("B"));
      String again = store.put(AT, Sandbox.bytes("A"));

      assertThat(first.equals(again)).isEqualTo(tags == Tags.CONTENT);
    }
  }

  @Test
  void unevenPagesAreSometimesShortAndSometimesEmptyAndTheSameForTheSameSeed() throws IOException {
    assertThat(pageSizes(1)).contains(0).contains(5).isEqualTo(pageSizes(1));
    assertThat(pageSizes(1)).isNotEqualTo(pageSizes(2));
  }

  @Test
  void noUnevenPageHidesWhatFollows() throws IOException {
    for (int seed = 0; seed < 50; seed++) {
      MemoryObjectStore store = new MemoryObjectStore(Dialect.AWS.with(Pages.uneven(3, seed)));
      for (int i = 0; i < 10; i++) {
        store.createUpload(i % 2 == 0 ? AT : OTHER);
      }

      List<String> found = new ArrayList<>();
      String next = "";
      do {
        UploadPage page = store.listUploads(new Location("lake", "sales"), next);
        page.uploads().forEach(each -> found.add(each.uploadId()));
        next = page.next();
      } while (!next.isEmpty());

      assertThat(found).as("seed %d", seed).hasSize(10).doesNotHaveDuplicates();
    }
  }

  @Test
  void aCopyGoesItsOwnWay() throws IOException {
    MemoryObjectStore store = new MemoryObjectStore();
    store.put(AT, Sandbox.bytes("1"));
    PendingUpload upload = upload(store);

    MemoryObjectStore copy = store.copy();
    copy.complete(upload);
    copy.put(OTHER, Sandbox.bytes("2"));
    store.delete(List.of(AT));

    assertThat(store.objects()).isEmpty();
    assertThat(store.openUploads()).extracting(HeldUpload::at).containsExactly(AT);
    assertThat(copy.objects()).containsOnlyKeys(AT, OTHER);
    assertThat(copy.openUploads()).isEmpty();
    assertThat(copy.createUpload(AT)).isEqualTo(store.createUpload(AT));
  }

  private static List<Integer> pageSizes(long seed) throws StoreException {
    MemoryObjectStore store = new MemoryObjectStore(Dialect.AWS.with(Pages.uneven(5, seed)));
    for (int i = 0; i < 100; i++) {
      store.put(new Location("lake", "sales/" + i), Sandbox.bytes(""));
    }
    List<Integer> sizes = new ArrayList<>();
    ListPage page = store.list(new Location("lake", "sales"), "");
    while (page.more()) {
      sizes.add(page.objects().size());
      page = store.list(new Location("lake", "sales"), page.last());
    }
    return sizes;
  }

  private static PendingUpload upload(MemoryObjectStore store) throws StoreException {
    String uploadId = store.createUpload(AT);
    String etag = store.uploadPart(AT, uploadId, 1, Sandbox.bytes("rows"));
    return new PendingUpload(AT, uploadId, 4, List.of(etag));
  }

  private static StoreUnderTest underTest(Dialect dialect) {
    VirtualClock clock = new VirtualClock();
    AtomicInteger folders = new AtomicInteger();
    Set<Capability> capabilities = EnumSet.allOf(Capability.class);
    capabilities.remove(Capability.MISSING_BUCKETS);
    if (dialect.conditions() != Conditions.ATOMIC) {
      capabilities.remove(Capability.CONDITIONAL_WRITES);
    }
    return new StoreUnderTest(
        new MemoryObjectStore(dialect, clock),
        () -> new Location("lake", "test-" + folders.incrementAndGet() + "/table"),
        capabilities,
        dialect.uploads().replay(),
        clock);
  }
}
