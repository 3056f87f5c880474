package io.repave.core.error;

import java.util.List;
import java.util.stream.Collectors;

/** Messages of commits that failed, and of commits whose outcome the job does not know. */
public final class CommitErrors {
  private static final String FIX_AND_RUN_AGAIN =
      " Nothing was published. Fix the cause and run the job again.";

  private static final String NOT_NAMED =
      "it does not name this commit. It is not known whether another process had published the"
          + " commit by then.";

  private CommitErrors() {}

  public static CommitFailedException uploadsNotRecorded(
      String commit, Object folder, Throwable cause) {
    return new CommitFailedException(
        "Commit "
            + commit
            + " could not record its uploads under "
            + folder
            + ": "
            + Cause.of(cause)
            + "."
            + FIX_AND_RUN_AGAIN,
        cause);
  }

  public static CommitFailedException tooManyFolders(String commit, int folders, Throwable cause) {
    return new CommitFailedException(
        "Commit "
            + commit
            + " touches too many folders for one commit ("
            + folders
            + "): "
            + Cause.of(cause)
            + ". Nothing was published. Write fewer partitions in one job.",
        cause);
  }

  /** {@code scope} has the folders that the commit would replace. */
  public static CommitFailedException outsideOfScope(
      String commit, String partition, List<String> scope) {
    return new CommitFailedException(
        "Commit "
            + commit
            + " overwrites "
            + scope.stream()
                .map(folder -> folder.isEmpty() ? "the table's folder" : "'" + folder + "'")
                .collect(Collectors.joining(", "))
            + ", but its tasks wrote to '"
            + partition
            + "', whose old rows would stay. Nothing was published. If the statement has a"
            + " partition value in another form, such as '07' for the number 7, write it as in this"
            + " folder's name.");
  }

  public static CommitFailedException noCheckpoint(String commit, Object head, Throwable cause) {
    return new CommitFailedException(
        "Commit "
            + commit
            + " was not reserved: "
            + head
            + " would become too large to be read, because it names all commits since the last"
            + " checkpoint and no checkpoint can be written: "
            + Cause.of(cause)
            + "."
            + FIX_AND_RUN_AGAIN,
        cause);
  }

  public static CommitFailedException notReserved(String commit, Object head, Throwable cause) {
    return new CommitFailedException(
        "Commit "
            + commit
            + " could not be reserved in "
            + head
            + ": "
            + Cause.of(cause)
            + "."
            + FIX_AND_RUN_AGAIN,
        cause);
  }

  /** The engine stopped the job's statement before the commit was decided. */
  public static CommitFailedException stopped(String commit, Object table) {
    return new CommitFailedException(
        "Commit "
            + commit
            + " to "
            + table
            + " was stopped before it was decided: a user or a program cancelled its statement, or"
            + " stopped its streaming query. Nothing was published. Run the statement again if you"
            + " want its rows.");
  }

  /** The commit was reverted: an upload is lost, or an operator cancelled it. */
  public static CommitFailedException reverted(String commit) {
    return new CommitFailedException(
        "Commit "
            + commit
            + " was reverted, because an upload was lost or an operator cancelled the commit. A lifecycle"
            + " rule for incomplete uploads, S3A's fs.s3a.multipart.purge or an administrator can remove"
            + " an upload. The old data is untouched. Let the rule, and fs.s3a.multipart.purge.age, keep"
            + " incomplete uploads for longer than any job runs, and run the job again.");
  }

  /** The commit may not be reserved: vacuum or a revert wrote its cancellation mark. */
  public static CommitFailedException cancelled(String commit) {
    return new CommitFailedException(
        "Commit "
            + commit
            + " can no longer be published: vacuum cancelled it as abandoned and may have deleted its"
            + " files, or it was reverted because an upload was lost. Nothing of it was published."
            + " Run the job again, and run vacuum with a retention that is longer than any job.");
  }

  /** The head is gone, and other processes may have published the commit before. */
  public static CommitStateUnknownException droppedBeforePublish(String commit, Object table) {
    return new CommitStateUnknownException(
        Dropped.table(table, "while commit " + commit + " was in progress") + notKnown(table));
  }

  /** The commit is reserved; something stopped the job before it published the new version. */
  public static CommitStateUnknownException decidedNotFinished(
      String commit, Object table, Object records, Throwable cause) {
    return notFinished(commit, "decided", table, records, cause);
  }

  /** The new version is published; something stopped the job before it deleted the old files. */
  public static CommitStateUnknownException publishedNotFinished(
      String commit, Object table, Object records, Throwable cause) {
    return notFinished(commit, "published", table, records, cause);
  }

  private static CommitStateUnknownException notFinished(
      String commit, String state, Object table, Object records, Throwable cause) {
    return new CommitStateUnknownException(
        "Commit "
            + commit
            + " is "
            + state
            + " but not finished: "
            + Cause.of(cause)
            + ". Until it is finished, readers that list folders may see old and new rows side by"
            + " side. Do not delete any files. Run `repave recover "
            + table
            + "`, then `repave history "
            + table
            + " --limit 1000`, and look for the commit id. Run the job again only if this commit was"
            + " reverted. A write with a token may be repeated at any time: it never adds its rows"
            + " twice. The records of the commit are under "
            + records
            + ".",
        cause);
  }

  /** The store did not answer whether the reservation succeeded. */
  public static CommitStateUnknownException reservationUnknown(
      String commit, Object table, Object head, Throwable cause) {
    return new CommitStateUnknownException(
        "It is not known whether commit "
            + commit
            + " was reserved: the store gave no clear answer about "
            + head
            + " ("
            + Cause.of(cause)
            + "). Do not delete any files. Before you run the job again, run `repave recover "
            + table
            + "`, which finishes the commit if it was reserved. "
            + howToLearn(commit, table),
        cause);
  }

  /** The head is gone, and a reservation without an answer may have decided the commit before. */
  public static CommitStateUnknownException droppedWithoutAnswer(
      String commit, Object table, Throwable cause) {
    return new CommitStateUnknownException(
        Dropped.table(table, "while commit " + commit + " waited for an answer to its reservation")
            + notKnown(table),
        cause);
  }

  private static String notKnown(Object table) {
    return " It is not known whether another process had published the commit by then. Do not"
        + " delete any files. If the records come back, run `repave history "
        + table
        + " --limit 1000` and look for the commit id. If they do not, check the files in the table's"
        + " folder before you run the job again.";
  }

  /** The head does not name a decided commit, and it was not reverted. */
  public static CommitStateUnknownException setBackBeforePublish(
      String commit, Object table, Object head) {
    return new CommitStateUnknownException(setBack(commit, NOT_NAMED, table, head));
  }

  /** The same for a commit that got no clear answer to its reservation. */
  public static CommitStateUnknownException setBackWithoutAnswer(
      String commit, Object table, Object head, Throwable cause) {
    return new CommitStateUnknownException(setBack(commit, NOT_NAMED, table, head), cause);
  }

  /** The head does not have the version of a commit that this process saw published. */
  public static CommitStateUnknownException setBackAfterPublish(
      String commit, long version, Object table, Object head) {
    String lost = "it does not have version " + version + ", as which this commit was published.";
    return new CommitStateUnknownException(setBack(commit, lost, table, head));
  }

  private static String setBack(String commit, String why, Object table, Object head) {
    return "An older head was put back at "
        + head
        + " while commit "
        + commit
        + " was in progress: "
        + why
        + " Do not delete any files, and do not run the job again yet. Stop all jobs of the table and"
        + " restore the newest version of the head (\"An older head\" in docs/operations.md). Then"
        + " run `repave recover "
        + table
        + "`, then `repave history "
        + table
        + " --limit 1000`, and look for the commit id.";
  }

  private static String howToLearn(String commit, Object table) {
    return "To learn whether the rows arrived, run `repave history "
        + table
        + " --limit 1000` after the recovery and look for the commit id: the rows arrived if "
        + commit
        + " is published. If it is reverted, run the job again. If it is not listed, a late request"
        + " may still arrive: wait for repave.drain (5 minutes by default) and look again. If it is"
        + " still not listed, run the job again. A write with a token may be repeated at any time: it"
        + " never adds its rows twice.";
  }
}
