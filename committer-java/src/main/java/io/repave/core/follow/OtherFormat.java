package io.repave.core.follow;

import io.repave.core.engine.TableContext;
import io.repave.core.error.UsageErrors;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * A Delta, Iceberg or Hudi table in a folder that Repave has no records of. That table's metadata
 * would not name the files of a job: its readers would not see them, and an overwrite would delete
 * files that the metadata names.
 *
 * <p>Requests: none, or 3 LISTs in parallel if the folder has more keys than one page; 1 GET if it
 * has a Delta log, which an earlier follower of Repave may have left.
 */
public final class OtherFormat {
  /** The first line of a version tells who wrote it. */
  private static final int BYTES_OF_A_WRITER = 64 * 1024;

  private final TableContext context;

  public OtherFormat(TableContext context) {
    this.context = context;
  }

  /** Throws when there is one. {@code first} is the first page of the table's folder. */
  public void requireNone(ListPage first) throws IOException, InterruptedException {
    for (TableFormat format : TableFormat.values()) {
      require(format, first.objects());
    }
    if (first.more()) {
      // Thousands of partitions may sort before the metadata.
      context.runner().each(List.of(TableFormat.values()).iterator(), this::requireNone);
    }
  }

  private void requireNone(TableFormat format) throws IOException, InterruptedException {
    Location folder = context.paths().root().resolve(format.folder());
    require(format, context.retry().known(() -> context.store().list(folder, "")).objects());
  }

  private void require(TableFormat format, List<ListedObject> listed)
      throws IOException, InterruptedException {
    String folder = context.paths().root().resolve(format.folder()).prefix();
    Optional<ListedObject> found =
        listed.stream()
            .filter(object -> object.key().startsWith(folder))
            .filter(object -> format.isMetadata(object.key().substring(folder.length())))
            .findFirst();
    if (found.isPresent() && !(format == TableFormat.DELTA && isOfRepave(found.get()))) {
      Location root = context.paths().root();
      throw UsageErrors.otherFormat(
          root, format.label(), new Location(root.bucket(), found.get().key()));
    }
  }

  /** Left behind when its table was dropped without it, or written by a slow process after that. */
  private boolean isOfRepave(ListedObject version) throws IOException, InterruptedException {
    Location at = new Location(context.paths().root().bucket(), version.key());
    int bytes = (int) Math.min(version.bytes(), BYTES_OF_A_WRITER);
    return context
        .retry()
        .known(() -> context.store().readRange(at, 0, bytes))
        .map(DeltaVersion::isOfRepave)
        .orElse(true);
  }
}
