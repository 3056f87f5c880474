package io.repave.core.commit;

import io.repave.core.engine.AllowedFolders;
import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.error.UsageErrors;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.TaskLedger;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.ledger.Upload;
import io.repave.core.listing.OpenUploads;
import io.repave.core.listing.TouchedListing;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.RecordNames;
import io.repave.core.snapshot.CommitManifest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/**
 * The files of a commit whose ledger is lost, found by the commit's id in their names. Such a file
 * cannot belong to another commit.
 *
 * <p>Requests: LISTs of the whole table and of the commit's folders outside it.
 */
final class FilesByName {
  private final TableContext context;
  private final ActiveCommit commit;
  private final List<String> folders;

  private FilesByName(TableContext context, ActiveCommit commit, List<String> folders) {
    this.context = context;
    this.commit = commit;
    this.folders = folders;
  }

  /** Throws when the folders outside the table are not known, or not allowed. */
  static FilesByName of(TableContext context, ActiveCommit commit)
      throws IOException, InterruptedException {
    List<String> folders = new ArrayList<>(List.of(""));
    AllowedFolders allowed = new AllowedFolders(context);
    for (String folder : outside(context, commit)) {
      allowed.require(commit.id(), folder);
      folders.add(folder);
    }
    return new FilesByName(context, commit, folders);
  }

  /**
   * The folders outside the table in which the commit may have files: as the head or the manifest
   * names them, otherwise all that the operator allows. A folder that is not searched would keep
   * the rows of a commit that is then run again.
   */
  private static List<String> outside(TableContext context, ActiveCommit commit)
      throws IOException, InterruptedException {
    Collection<String> named =
        commit.touched().isEmpty() ? planned(context, commit) : commit.touched();
    if (commit.kind().isOfWholeTable() || !named.isEmpty()) {
      return named.stream().filter(RecordNames::isOutside).toList();
    }
    if (context.settings().allowed().isEmpty()) {
      throw UsageErrors.foldersNotKnown(commit.id().id(), context.paths().root());
    }
    return new AllowedFolders(context).outside();
  }

  /** The folders that the manifest names; empty when there is none that can be read. */
  private static Collection<String> planned(TableContext context, ActiveCommit commit)
      throws IOException, InterruptedException {
    try {
      return CommitManifest.read(context, commit.id())
          .map(manifest -> manifest.index().touched())
          .orElse(Collections.emptySortedSet());
    } catch (InvalidRecordException lost) {
      return List.of();
    }
  }

  /**
   * The files to delete. Uploads that are open would not be found by name: each is aborted before
   * the files are listed.
   */
  Ledger findAfterAborts() throws IOException, InterruptedException {
    for (String folder : folders) {
      new OpenUploads(context).abortEvery(commit.id(), context.paths().folder(folder));
    }
    return find();
  }

  /** The files that exist. */
  Ledger find() throws IOException, InterruptedException {
    TaskLedger found = new TaskLedger();
    TouchedListing.of(context, commit.id())
        .run(
            folders,
            (partition, file) -> {
              synchronized (found) {
                found.add(Upload.existing(partition, file.name(), file.bytes(), FileFacts.NONE));
              }
            });
    return TaskLedgers.of(found);
  }
}
