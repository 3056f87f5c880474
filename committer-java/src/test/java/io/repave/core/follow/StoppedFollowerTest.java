package io.repave.core.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.NotFollowed;
import io.repave.testing.StoreCall;
import io.repave.testing.TestTable;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A follower that cannot go on for a long time. */
class StoppedFollowerTest {
  private static final String FOREIGN = "_delta_log/00000000000000000001.json";

  private final NotFollowed heard = new NotFollowed();

  private long requests(TestTable table) throws Exception {
    long before = table.requests();
    table
        .job(table.open(table.process().progress(heard).ports()), CommitKind.APPEND, "dt=3")
        .commit();
    return table.requests() - before;
  }

  /** Because of somebody's file in its log. */
  @Test
  void itMakesCommitsNoSlowerAndIsBroughtUpByASync() throws Exception {
    TestTable table = DeltaLogTest.followed(Readers.SNAPSHOT);
    table.configure(it -> it.deltaCheckpointEvery(10_000));
    table.foreign(FOREIGN);
    while (behind(table) <= Followers.VERSIONS_MOST) {
      table.commit(CommitKind.APPEND, "dt=2");
    }
    long first = requestsOfManyCommits(table);
    for (int more = 0; more < 100; more++) {
      table.commit(CommitKind.APPEND, "dt=2");
    }
    assertThat(requestsOfManyCommits(table)).isEqualTo(first);
    assertThat(heard.told())
        .last()
        .asString()
        .contains("versions behind", "Only every 200th commit", "repave sync s3://lake/sales")
        .doesNotContain("next commit");
    assertThatThrownBy(() -> table.open().sync()).hasMessageContaining(FOREIGN);
    table.store.delete(List.of(table.paths.root().resolve(FOREIGN)));
    table.open().sync();
    DeltaLogTest.assertFollowed(table);
  }

  /** So many that checkpoints come equally often. */
  private long requestsOfManyCommits(TestTable table) throws Exception {
    long all = 0;
    for (int commit = 0; commit < 100; commit++) {
      all += requests(table);
    }
    return all;
  }

  /** Its manifests may not be written from the first commit on. */
  @Test
  void oneThatIsDeniedFromTheFirstCommitOnMakesCommitsNoSlowerEither() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.configure(it -> it.followers(List.of(FollowerKind.SYMLINK)));
    Location manifests = table.paths.pointer(FollowerKind.SYMLINK);
    Table denied =
        table.before(
            (call, at) -> {
              if (call != StoreCall.LIST && manifests.holds(at)) {
                throw new StoreException(Kind.DENIED, "403");
              }
            });
    table.job(denied, CommitKind.APPEND, "dt=1").commit();
    while (behind(table) <= Followers.VERSIONS_MOST) {
      table.job(denied, CommitKind.APPEND, "dt=2").commit();
    }
    long before = table.requests();
    table.job(denied, CommitKind.APPEND, "dt=2").commit();
    assertThat(table.requests() - before).isLessThan(30);
  }

  /** Such as those with a type that Spark does not write. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void aDeltaLogOfFilesThatDoNotTellTheirColumnsMakesCommitsNoSlower(Readers readers)
      throws Exception {
    TestTable table = new TestTable(readers);
    table.configure(it -> it.followers(List.of(FollowerKind.DELTA)));
    long first = requestsOfManyCommits(table);
    for (int more = 0; more < 100; more++) {
      table.commit(CommitKind.APPEND, "dt=2");
    }
    assertThat(requestsOfManyCommits(table)).isLessThanOrEqualTo(first);
    assertThat(heard.told())
        .hasSize(200)
        .last()
        .asString()
        .contains("delta: There is no Delta log yet");
  }

  private static long behind(TestTable table) throws Exception {
    Follower follower = table.head().followers().get(0);
    return table.head().version() - follower.followed();
  }
}
