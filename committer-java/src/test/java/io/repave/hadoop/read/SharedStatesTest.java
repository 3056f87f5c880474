package io.repave.hadoop.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A query looks once at the head of a table whose partitions it lists one by one. */
class SharedStatesTest {
  private static final Location TABLE = new Location("lake", "sales");

  private final AtomicLong nanos = new AtomicLong();
  private Readers readers = Readers.SNAPSHOT;
  private Optional<String> query = Optional.of("query 1");
  private long version = 1;
  private int looks;
  private final SharedStates states =
      new SharedStates(
          (HeadsInPlace) this::look,
          () -> query.map(name -> new ReadScope.Query(name, "work", Duration.ofSeconds(5))),
          nanos::get);

  private Optional<TableState> look(Location table) {
    looks++;
    return Optional.of(new State(readers, version));
  }

  private record State(Readers readers, long version) implements TableState {
    @Override
    public void requireKept(long at) {}

    @Override
    public long versionAt(Instant moment) {
      return version;
    }

    @Override
    public String tableId() {
      return "id";
    }

    @Override
    public boolean hides(Location file) {
      return false;
    }

    @Override
    public Optional<SnapshotFiles> files(long at, Collection<String> folders, long bytesMax) {
      return Optional.of(new SnapshotFiles());
    }
  }

  private long seen(int day) throws IOException {
    return states.find(TABLE, TABLE.resolve("dt=" + day)).orElseThrow().version();
  }

  @Test
  void aQueryLooksOnceForAllItsFolders() throws IOException {
    for (int day = 0; day < 1_000; day++) {
      assertThat(seen(day)).isEqualTo(1);
      version = 2;
    }
    assertThat(looks).isEqualTo(1);
  }

  @Test
  void theNextQuerySeesWhatWasPublishedBeforeIt() throws IOException {
    seen(1);
    version = 2;
    query = Optional.of("query 2");
    assertThat(seen(2)).isEqualTo(2);
  }

  @Test
  void aFolderThatIsListedAgainIsLookedAtAgain() throws IOException {
    seen(1);
    seen(2);
    version = 2;
    assertThat(seen(1)).isEqualTo(2);
    assertThat(seen(2)).as("from the newer look").isEqualTo(2);
    assertThat(looks).isEqualTo(2);
  }

  @Test
  void aCommitOfThisJvmIsSeenByTheQueryThatMadeIt() throws IOException {
    seen(1);
    version = 2;
    SharedStates.committed(Optional.of("work"));
    assertThat(seen(2)).isEqualTo(2);
    version = 3;
    SharedStates.committed(Optional.empty());
    assertThat(seen(3)).isEqualTo(3);
  }

  @Test
  void aCommitOfAnotherThreadDoesNotSplitAQuery() throws IOException {
    seen(1);
    version = 2;
    SharedStates.committed(Optional.of("other work"));
    assertThat(seen(2)).isEqualTo(1);
  }

  @Test
  void aForgottenCommitCountsForAllWork() {
    RecentCommits commits = new RecentCommits();
    for (int i = 1; i <= RecentCommits.WORKS_MOST + 1; i++) {
      commits.add(Optional.of("work " + i));
    }
    assertThat(commits.last("work 1")).isEqualTo(1);
    assertThat(commits.last("unknown")).isEqualTo(1);
    assertThat(commits.last("work 2")).isEqualTo(2);
  }

  @Test
  void aLookIsUsedForTheTimeOfItsScope() throws IOException {
    seen(1);
    version = 2;
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(4));
    assertThat(seen(2)).isEqualTo(1);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    assertThat(seen(3)).isEqualTo(2);
  }

  @Test
  void withoutAKnownQueryEachFolderIsLookedAt() throws IOException {
    query = Optional.empty();
    seen(1);
    version = 2;
    assertThat(seen(2)).isEqualTo(2);
  }

  @Test
  void aListingTableIsLookedAtEachTime() throws IOException {
    readers = Readers.LISTING;
    seen(1);
    version = 2;
    assertThat(seen(2)).isEqualTo(2);
  }
}
