package io.repave.hadoop.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.junit.jupiter.api.Test;

class StoredFilesTest {
  private static final Path OURS =
      new Path("/t/part-00000-11111111-1111-4111-8111-111111111111-1.c000.parquet");
  private static final Path OTHER = new Path("/t/0001.parquet");

  private final Looks store = new Looks();
  private long nanos;
  private final StoredFiles files = new StoredFiles(store, () -> nanos);

  /** Counts the looks at files, which do not exist when {@code bytes} is negative. */
  private static final class Looks extends RawLocalFileSystem {
    private int count;
    private long bytes = 3;

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
      count++;
      if (bytes < 0) {
        throw new FileNotFoundException(path.toString());
      }
      return new FileStatus(bytes, false, 1, 1, 0, path);
    }
  }

  @Test
  void aFileOfRepaveIsLookedUpOnceInFiveSeconds() throws IOException {
    files.status(OURS);
    nanos = TimeUnit.SECONDS.toNanos(5) - 1;
    assertThat(files.status(OURS).getLen()).isEqualTo(3);
    assertThat(store.count).isEqualTo(1);
    nanos++;
    store.bytes = -1;
    assertThatThrownBy(() -> files.status(OURS)).isInstanceOf(FileNotFoundException.class);
  }

  @Test
  void aFileOfAnotherWriterIsLookedUpEachTimeBecauseItsNameMayBeUsedAgain() throws IOException {
    files.status(OTHER);
    store.bytes = 4;
    assertThat(files.status(OTHER).getLen()).isEqualTo(4);
  }

  @Test
  void theNumberOfLooksThatAreKeptIsBounded() throws IOException {
    for (int number = 0; number <= 1024; number++) {
      files.status(new Path(OURS.getParent() + "/" + number, OURS.getName()));
    }
    store.count = 0;
    files.status(new Path(OURS.getParent() + "/1024", OURS.getName()));
    assertThat(store.count).as("the newest is kept").isZero();
    files.status(new Path(OURS.getParent() + "/0", OURS.getName()));
    assertThat(store.count).as("the oldest is not").isEqualTo(1);
  }

  @Test
  void aCallerMayChangeTheStatusThatItGets() throws IOException {
    files.status(OURS).setPath(new Path("repave://lake/t/file"));
    assertThat(files.status(OURS).getPath()).isEqualTo(OURS);
  }
}
