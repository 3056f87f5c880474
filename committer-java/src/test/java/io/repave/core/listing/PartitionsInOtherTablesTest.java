package io.repave.core.listing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.InterceptingStore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A partition outside the table whose folder lies inside the folder of another table. */
class PartitionsInOtherTablesTest {
  private final TestTable table = new TestTable();

  private TestTable other(String root) throws Exception {
    TestTable other = new TestTable(table, new Location("cold", root), Readers.SNAPSHOT, 100);
    other.commit(CommitKind.APPEND, "dt=1");
    return other;
  }

  /** The vacuum of the other table would delete the files, because its records do not name them. */
  @ParameterizedTest
  @CsvSource({
    "orders, s3://cold/orders/dt=9",
    "orders, s3://cold/orders/annex/dt=9/hour=1",
    "orders, s3://cold/orders",
    "orders/dt=9/deep, s3://cold/orders/dt=9/deep/a",
    "'', s3://cold/orders/dt=9",
  })
  void aWriteInsideAnotherTableIsRefused(String root, String partition) throws Exception {
    TestTable other = other(root);
    Map<String, String> before = table.data();
    for (CommitKind kind : List.of(CommitKind.APPEND, CommitKind.DYNAMIC)) {
      TestJob job = table.job(kind, "dt=1", partition);
      assertThatThrownBy(job::commit)
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining(partition)
          .hasMessageContaining(other.paths.root().toString());
      assertThat(job.abort()).isTrue();
    }
    assertThat(table.data()).isEqualTo(before);
    assertThat(table.open().head()).isEmpty();
    assertThat(table.store.openUploads()).isEmpty();
  }

  /** What the check is for: without it, the vacuum of the other table deletes published files. */
  @Test
  void withoutTheCheckAVacuumOfTheOtherTableDeletesTheFiles() throws Exception {
    TestTable other = other("orders");
    InterceptingStore unchecked =
        new InterceptingStore(table.counted) {
          @Override
          public Optional<ListedObject> head(Location at) throws StoreException {
            boolean seen = at.bucket().equals("cold") && at.name().equals("head.json");
            return seen ? Optional.empty() : super.head(at);
          }
        };
    String partition = "s3://cold/orders/dt=9";
    table.job(table.through(unchecked), CommitKind.APPEND, partition).commit();
    assertThat(table.recorded()).containsExactly(partition + "/commit-000001");
    table.clock.advance(1_000);
    other.open().vacuum(0);
    assertThat(table.data().keySet())
        .noneMatch(key -> key.startsWith(partition))
        .anyMatch(key -> key.startsWith("s3://cold/orders/dt=1"));
  }

  /** A catalog can name such a folder; a write by its path would commit to the inner table. */
  @Test
  void aWriteInsideATableThatIsInsideThisOneIsRefused() throws Exception {
    TestTable inner =
        new TestTable(table, new Location("lake", "sales/archive"), Readers.SNAPSHOT, 100);
    inner.commit(CommitKind.APPEND, "dt=1");
    for (String partition : List.of("archive", "archive/dt=2", "archive/deep/dt=2")) {
      TestJob job = table.job(CommitKind.DYNAMIC, "dt=1", partition);
      assertThatThrownBy(job::commit)
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining(inner.paths.root().toString());
      job.abort();
    }
    table.commit(CommitKind.DYNAMIC, "dt=1", "plain/dt=2", "");
    assertThat(table.recorded()).hasSize(3);
  }

  /** No listing shows the old files there, so an overwrite would leave their rows. */
  @ParameterizedTest
  @ValueSource(strings = {"_archive/dt=1", "dt=1/.old", "_temporary"})
  void anOverwriteBelowAHiddenFolderIsRefused(String partition) throws Exception {
    table.foreign(partition + "/old.parquet");
    TestJob job = table.job(CommitKind.DYNAMIC, "dt=1", partition);
    assertThatThrownBy(job::commit)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("The partition " + partition)
        .hasMessageContaining("Nothing was published");
    assertThat(job.abort()).isTrue();
    List<String> scope = List.of("dt=1", partition);
    String commit = table.request(CommitKind.STATIC).commit();
    CommitRequest request = new CommitRequest(commit, CommitKind.STATIC, scope, "", "");
    assertThatThrownBy(() -> table.open().begin(request))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("The partition " + partition);
    assertThat(table.open().head()).isEmpty();
    table.commit(CommitKind.DYNAMIC, "_dt=1", ".dt=2/x", "s3://cold/_archive/dt=1");
    // As an RDD save writes rejected lines next to its partitions.
    table.commit(CommitKind.APPEND, partition);
    assertThat(table.recorded()).hasSize(4);
  }

  @Test
  void anOverwriteOfAFolderInsideAnotherTableIsRefusedBeforeItsTasks() throws Exception {
    other("orders");
    String commit = table.request(CommitKind.STATIC).commit();
    List<String> scope = List.of("", "s3://cold/orders/dt=1");
    CommitRequest request = new CommitRequest(commit, CommitKind.STATIC, scope, "", "");
    assertThatThrownBy(() -> table.open().begin(request))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("s3://cold/orders/dt=1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"s3://cold/order/dt=1", "s3://cold/orders2/dt=1", "s3://lake/orders/dt=1"})
  void aFolderNextToAnotherTableIsFree(String partition) throws Exception {
    other("orders");
    table.commit(CommitKind.DYNAMIC, partition);
    assertThat(table.recorded()).containsExactly(partition + "/commit-000001");
  }

  /** The folders above a thousand partitions are few, and each is looked up once in a job. */
  @Test
  void theFoldersAboveAreLookedUpOnceInAJob() throws Exception {
    Queue<Location> heads = new ConcurrentLinkedQueue<>();
    Table watched =
        table.before(
            (call, at) -> {
              if (call == StoreCall.HEAD && at.name().equals("head.json")) {
                heads.add(at);
              }
            });
    String[] partitions =
        IntStream.range(0, 1_000)
            .mapToObj("s3://cold/annex/dt=%d"::formatted)
            .toArray(String[]::new);
    table.job(watched, CommitKind.APPEND, partitions).commit();
    assertThat(heads)
        .containsExactlyInAnyOrder(
            new Location("cold", "annex/_repave/head.json"),
            new Location("cold", "_repave/head.json"));
    heads.clear();
    table.job(watched, CommitKind.APPEND, "dt=1").commit();
    assertThat(heads).isEmpty();
  }

  /** A job may list the bucket, and read only its own folders. */
  @Test
  void aHeadThatMayNotBeReadIsFoundInAListing() throws Exception {
    InterceptingStore limited =
        new InterceptingStore(table.counted) {
          @Override
          public Optional<ListedObject> head(Location at) throws StoreException {
            if (at.bucket().equals("cold") && at.name().equals("head.json")) {
              throw new StoreException(Kind.DENIED, "not for you");
            }
            return super.head(at);
          }
        };
    table.job(table.through(limited), CommitKind.APPEND, "s3://cold/orders/dt=9").commit();
    other("orders");
    TestJob job = table.job(table.through(limited), CommitKind.APPEND, "s3://cold/orders/dt=9");
    assertThatThrownBy(job::commit).isInstanceOf(InvalidConfigException.class);
  }

  @Test
  void aJobThatMayNotEvenListIsRefused() throws Exception {
    List<Location> listed = new ArrayList<>();
    InterceptingStore blind =
        new InterceptingStore(table.counted) {
          @Override
          public Optional<ListedObject> head(Location at) throws StoreException {
            if (at.bucket().equals("cold")) {
              throw new StoreException(Kind.DENIED, "not for you");
            }
            return super.head(at);
          }

          @Override
          public ListPage list(Location folder, String after) throws StoreException {
            if (folder.bucket().equals("cold")) {
              listed.add(folder);
              throw new StoreException(Kind.DENIED, "not for you");
            }
            return super.list(folder, after);
          }
        };
    WriteTransaction job = table.through(blind).begin(table.request(CommitKind.APPEND));
    var ledger = table.ledgerOf(job, "s3://cold/annex/dt=9");
    assertThatThrownBy(() -> job.commit(ledger))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("s3:ListBucket");
    assertThat(listed).isNotEmpty();
    assertThat(table.open().head()).isEmpty();
  }
}
