package io.repave.spark.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.record.CommitKind;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.hadoop.CountedReads;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.testing.InterceptingStore;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a frame shows after a commit whose refresh of the frame failed. */
class ShownVersionTest {
  private static final Path ROOT = new Path(CountedReads.ROOT);

  private final CountedReads lake = new CountedReads();
  private RepaveFileSystem files;
  private boolean isDenied;

  @BeforeEach
  void aTable() throws Exception {
    lake.table(2);
    files =
        lake.process(
            InterceptingStore.before(
                lake.table.store,
                (call, at) -> {
                  if (isDenied) {
                    throw new StoreException(Kind.DENIED, "The token has expired.");
                  }
                }),
            1 << 20);
  }

  private ShownVersion read() throws Exception {
    return new ShownVersion(files, ROOT, newest());
  }

  private IndexedFiles newest() throws Exception {
    return IndexedFiles.of(files.version(ROOT).orElseThrow());
  }

  private void commit() throws Exception {
    lake.table.commit(CommitKind.APPEND, "dt=1");
  }

  private void fail(ShownVersion frame) {
    isDenied = true;
    frame.refresh();
  }

  private void assertAt(IndexedFiles expected, ShownVersion frame) {
    frame.requireFresh();
    assertThat(frame.files().version()).isEqualTo(expected.version());
  }

  @Test
  void aCopyStaysWhereItsOriginalWas() throws Exception {
    ShownVersion frame = read();
    IndexedFiles before = newest();
    ShownVersion planned = frame.copy();
    commit();
    frame.refresh();
    assertAt(newest(), frame);
    assertAt(before, planned);
    fail(frame);
    assertAt(before, planned);
  }

  @Test
  void theNextScanRefreshesAgainUntilTheStoreAnswers() throws Exception {
    ShownVersion frame = read();
    commit();
    fail(frame);
    ShownVersion planned = frame.copy();
    for (int scan = 0; scan < 2; scan++) {
      assertThatThrownBy(planned::requireFresh)
          .hasRootCauseMessage("The token has expired.")
          .hasMessageEndingWith(
              "A DataFrame of repave://lake/sales could not be refreshed. Call"
                  + " spark.catalog.refreshByPath(\"repave://lake/sales\"), or read the path again."
                  + " The cause: The token has expired.");
    }
    isDenied = false;
    assertAt(newest(), planned);
    assertAt(newest(), frame);
  }

  /** Spark compares a query with the frame that it cached, and takes the rows of the copy. */
  @Test
  void aCopyMovesToTheVersionOfItsOriginal() throws Exception {
    ShownVersion frame = read();
    commit();
    fail(frame);
    ShownVersion first = frame.copy();
    ShownVersion second = frame.copy();
    isDenied = false;
    IndexedFiles refreshed = newest();
    assertAt(refreshed, first);
    commit();
    assertAt(refreshed, second);
    assertAt(refreshed, frame);
    assertThat(frame.isSame(second)).isTrue();
  }

  @Test
  void aFrameThatWillMoveIsNotTheSameAsOneThatStays() throws Exception {
    ShownVersion frame = read();
    ShownVersion other = read();
    assertThat(frame.isSame(other)).isTrue();
    commit();
    fail(frame);
    assertThat(frame.isSame(other)).isFalse();
    assertThat(other.isSame(frame)).isFalse();
    assertThat(frame.isSame(frame)).isTrue();
  }
}
