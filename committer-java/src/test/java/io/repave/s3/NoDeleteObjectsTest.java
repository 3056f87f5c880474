package io.repave.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.CommitKind;
import io.repave.core.store.DeleteFailure;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.testing.InterceptingStore;
import io.repave.testing.StubS3;
import io.repave.testing.StubS3.Answer;
import io.repave.testing.StubS3.Request;
import io.repave.testing.TestTable;
import io.repave.testing.Unchecked;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A store that has no DeleteObjects, and a user who has not said so to S3A. */
class NoDeleteObjectsTest {
  private final TestTable table = new TestTable();

  /** Deletes one object by its URL. */
  private Answer delete(Request request) {
    String key = request.uri().getPath().replaceFirst("^/lake/", "");
    Unchecked.run(() -> table.store.delete(List.of(new Location("lake", key))));
    return Answer.of(204, "");
  }

  @ParameterizedTest
  @CsvSource({"405, MethodNotAllowed", "501, NotImplemented", "400, InvalidRequest"})
  void anOverwriteThereDeletesWhatItReplacesKeyByKey(int status, String code) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "dt=1", "dt=1");
    try (StubS3 stub =
            new StubS3(
                request ->
                    request.method().equals("DELETE")
                        ? delete(request)
                        : Answer.error(status, code, "no DeleteObjects here"));
        FileSystem files = stub.files("lake", stub.configuration())) {
      ObjectStore deletes = S3Stores.open(bucket -> files);
      ObjectStore store =
          new InterceptingStore(table.counted) {
            @Override
            public List<DeleteFailure> delete(List<Location> keys) throws StoreException {
              return deletes.delete(keys);
            }
          };

      table.job(table.through(store), CommitKind.DYNAMIC, "dt=1").commit();
    }

    assertThat(table.writers()).containsExactly("dt=1/commit-000002");
    assertThat(table.head().active()).isEmpty();
  }
}
