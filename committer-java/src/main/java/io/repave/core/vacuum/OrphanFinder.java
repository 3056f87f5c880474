package io.repave.core.vacuum;

import io.repave.core.engine.TableContext;
import io.repave.core.ledger.PartFileName;
import io.repave.core.listing.InnerTables;
import io.repave.core.listing.OpenUploads;
import io.repave.core.listing.OrderedListing;
import io.repave.core.listing.TouchedListing;
import io.repave.core.record.CommitId;
import io.repave.core.record.Head;
import io.repave.core.store.Location;
import io.repave.core.store.OpenUpload;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Finds what dead jobs left in a table: open uploads, records of undecided commits, and files. */
public final class OrphanFinder {
  private static final int JOB_BYTES_MAX = 1024;

  private final TableContext context;
  private final OpenUploads uploads;
  private final InnerTables inner;

  public OrphanFinder(TableContext context) {
    this.context = context;
    this.uploads = new OpenUploads(context);
    this.inner = InnerTables.withAnyRecord(context);
  }

  /** An upload that no process will complete. */
  public record Upload(Location at, String uploadId, String commit) {}

  /** A record of a commit; {@code commit} is "" for a checkpoint. */
  public record OrphanRecord(Location at, String commit) {}

  /** Receives a page of uploads. */
  @FunctionalInterface
  public interface Uploads {
    void uploads(List<Upload> page) throws IOException, InterruptedException;
  }

  /** Receives the files of the table. */
  @FunctionalInterface
  public interface Files {
    void file(Location at, long bytes, long modifiedMillis)
        throws IOException, InterruptedException;
  }

  /**
   * Passes on, page by page, the open uploads that commits of {@code wanted} ids began before the
   * cutoff; a dead job may have left any number. An upload with "" as its commit is below {@code
   * _repave/}: a check of the store left it there, because no commit uploads anything there.
   */
  public void uploads(long cutoffMillis, Predicate<String> wanted, Uploads sink)
      throws IOException, InterruptedException {
    uploads.each(
        context.paths().root(),
        page -> {
          List<Upload> found = new ArrayList<>();
          for (OpenUpload upload : page) {
            Location at = OpenUploads.at(context.paths().root(), upload);
            Optional<String> commit =
                context.paths().records().holds(at)
                    ? Optional.of("")
                    : PartFileName.commitOf(OpenUploads.nameOf(upload));
            if (commit.filter(wanted).isPresent()
                && upload.initiatedMillis() <= cutoffMillis
                && !inner.contain(at)) {
              found.add(new Upload(at, upload.uploadId(), commit.get()));
            }
          }
          sink.uploads(found);
          return true;
        });
  }

  /** Aborts the uploads of some commits, page by page. */
  public void abortUploads(long cutoffMillis, Set<String> commits)
      throws IOException, InterruptedException {
    uploads(
        cutoffMillis,
        commits::contains,
        page ->
            context
                .runner()
                .each(page.iterator(), upload -> uploads.abort(upload.at(), upload.uploadId())));
  }

  /**
   * The records of commits that began before the cutoff and are neither unfinished nor published;
   * those of expired commits; and those of published commits that no process will read.
   */
  List<OrphanRecord> records(
      long cutoffMillis, Set<String> unfinished, PublishedCommits published, Set<String> expired)
      throws IOException, InterruptedException {
    List<OrphanRecord> found = new ArrayList<>();
    UnreferencedRecords unreferenced = new UnreferencedRecords(context);
    Location commits = context.paths().commits();
    new OrderedListing(context, commits)
        .eachAfter(
            published.firstFolder(commits),
            object -> {
              Location at = new Location(commits.bucket(), object.key());
              Optional<CommitId> id = context.paths().commitOf(at);
              if (id.isPresent()
                  && id.get().startedMillis() <= cutoffMillis
                  && !unfinished.contains(id.get().id())
                  && (!published.contain(id.get().id())
                      || expired.contains(id.get().id())
                      || unreferenced.contains(at, id.get()))) {
                found.add(new OrphanRecord(at, id.get().id()));
              }
            });
    return found;
  }

  /**
   * The records of MapReduce jobs whose commits began before the cutoff and are not unfinished. A
   * job deletes its own when it ends, so these are left from dead ones. Requests: 1 LIST, and 1 GET
   * for each.
   */
  public List<OrphanRecord> jobs(long cutoffMillis, Set<String> unfinished)
      throws IOException, InterruptedException {
    List<OrphanRecord> found = new ArrayList<>();
    Location jobs = context.paths().jobs();
    new OrderedListing(context, jobs)
        .each(
            object -> {
              Location at = new Location(jobs.bucket(), object.key());
              Optional<CommitId> id = commitOfJob(at);
              if (id.isPresent()
                  && id.get().startedMillis() <= cutoffMillis
                  && !unfinished.contains(id.get().id())) {
                found.add(new OrphanRecord(at, id.get().id()));
              }
            });
    return found;
  }

  private Optional<CommitId> commitOfJob(Location at) throws IOException, InterruptedException {
    return context
        .retry()
        .known(() -> context.store().read(at, JOB_BYTES_MAX))
        .flatMap(stored -> CommitId.find(new String(stored.content(), StandardCharsets.UTF_8)));
  }

  /** The checkpoints and their shards that no head names or will name. */
  List<OrphanRecord> checkpoints(Head head, PublishedCommits published)
      throws IOException, InterruptedException {
    List<OrphanRecord> found = new ArrayList<>();
    Location checkpoints = context.paths().checkpoints();
    UnreferencedRecords unreferenced = new UnreferencedRecords(context);
    new OrderedListing(context, checkpoints)
        .eachAfter(
            published.firstCheckpoint(checkpoints),
            object -> {
              Location at = new Location(checkpoints.bucket(), object.key());
              if (unreferenced.contains(at, head, published.checkpoints())) {
                found.add(new OrphanRecord(at, ""));
              }
            });
    return found;
  }

  /** Passes on all data files in the table's folder. */
  public void files(Files files) throws IOException, InterruptedException {
    Location root = context.paths().root();
    new OrderedListing(context, root)
        .eachExcept(
            context.paths().records(),
            object -> {
              Location at = new Location(root.bucket(), object.key());
              if (!TouchedListing.isHidden(root.relative(at))) {
                files.file(at, object.bytes(), object.modifiedMillis());
              }
            });
  }
}
