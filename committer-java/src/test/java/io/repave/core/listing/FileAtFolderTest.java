package io.repave.core.listing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.InterceptingStore;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class FileAtFolderTest {
  /** Readers would see the file or the rows of the commit, never both. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void aTableInPlaceOfAFileIsRefused(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    put(table, table.paths.root().key());
    for (CommitKind kind : new CommitKind[] {CommitKind.APPEND, CommitKind.STATIC}) {
      assertThatThrownBy(() -> table.commit(kind, "dt=1"))
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageStartingWith(table.paths.root() + " is a file");
    }
    assertThat(table.store.objects()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"s", "/"})
  void otherObjectsStopNobody(String suffix) throws Exception {
    TestTable table = new TestTable();
    put(table, table.paths.root().key() + suffix);
    assertThatCode(() -> table.commit(CommitKind.APPEND, "dt=1")).doesNotThrowAnyException();
  }

  @Test
  void aJobThatMayReadOnlyWhatIsInTheFolderIsNotRefused() throws Exception {
    TestTable table = new TestTable();
    InterceptingStore limited =
        new InterceptingStore(table.counted) {
          @Override
          public Optional<ListedObject> head(Location at) throws StoreException {
            if (at.equals(table.paths.root())) {
              throw new StoreException(Kind.DENIED, "not for you");
            }
            return super.head(at);
          }
        };
    TestJob job = table.job(table.through(limited), CommitKind.APPEND, "dt=1");
    assertThatCode(job::commit).doesNotThrowAnyException();
  }

  /** An overwrite of this folder would delete the records of the table around it. */
  @Test
  void aTableInAFolderOfRecordsIsRefused() throws Exception {
    TestTable table = new TestTable();
    table.commit(CommitKind.APPEND, "dt=1");
    for (Location inside :
        new Location[] {table.paths.records(), table.paths.records().resolve("commits")}) {
      TestTable within = new TestTable(table, inside, Readers.LISTING, 100);
      assertThatThrownBy(() -> within.commit(CommitKind.STATIC, ""))
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining("contains the records of a table");
    }
  }

  private static void put(TestTable table, String key) throws StoreException {
    Location at = new Location(table.paths.root().bucket(), key);
    table.store.put(at, ByteBuffer.wrap(new byte[] {1}));
  }
}
