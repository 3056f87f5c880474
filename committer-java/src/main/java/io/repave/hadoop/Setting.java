package io.repave.hadoop;

import java.util.List;

/**
 * All settings: name, default, form of the value, and description. The documentation, the Python
 * keywords and the command line's options are generated from this table.
 */
public enum Setting {
  SCHEMES(
      "repave.schemes",
      Kind.LIST,
      "s3a,s3,s3n",
      "URI schemes whose writes Repave commits. Each must be configured for Hadoop's S3A connector"
          + " (`fs.<scheme>.impl`). Paths with any other scheme go to the fallback protocol."),
  ENABLED(
      "repave.enabled",
      Kind.FLAG,
      "true",
      "Whether Repave commits Spark's writes. With `false`, every write goes to the fallback"
          + " protocol: run `repave adopt` on each listing table that was written like this, and do"
          + " not write to snapshot tables, because an overwrite deletes files of their versions."),
  EXCLUDE(
      "repave.exclude",
      Kind.LIST,
      "",
      "Buckets and folders (`s3://bucket`, `s3://bucket/folder`, no patterns) whose writes Repave"
          + " does not commit. These writes, and all below these folders, go to the fallback"
          + " protocol."),
  FALLBACK_PROTOCOL(
      "repave.fallback.protocol",
      Kind.TEXT,
      "org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol",
      "Spark's commit protocol for the paths that Repave does not commit. If the site sets one in"
          + " `spark.sql.sources.commitProtocolClass`, `configure_session` copies it here."),
  READERS(
      "repave.readers",
      Kind.CHOICE,
      "listing",
      "How the table is read: `listing` for engines that list folders, `snapshot` for engines that"
          + " read Repave's records. The first write sets it permanently. Later writes may leave it"
          + " out; one that asks for the other value is refused.",
      "listing",
      "snapshot"),
  FOLLOWERS(
      "repave.followers",
      Kind.LIST,
      "",
      "What the first write of a table sets up for readers that do not know Repave: `delta` keeps a"
          + " Delta log in the table's folder, `symlink` keeps lists of files for"
          + " SymlinkTextInputFormat, `delta,symlink` keeps both. For an existing table, use"
          + " `repave follow`."),
  CONFLICT(
      "repave.conflict",
      Kind.CHOICE,
      "fail",
      "What an overwrite does if another job has published a change, even an append, to the same"
          + " partitions after the overwrite's base version: `fail`, or `last-writer` replaces the"
          + " files of that change too. The base version is read when the job begins, after it has"
          + " waited for unfinished commits. Under `fail`, an overwrite also fails if it reads"
          + " partitions that it replaces and others have changed them since Spark listed them.",
      "fail",
      "last-writer"),
  ONLY(
      "repave.only",
      Kind.LIST,
      "",
      "Partition folders, such as `dt=2026-11-20` or `dt=2026-11-20/h=3`: a job that writes or"
          + " replaces any other partition fails before its commit is decided. A folder includes"
          + " the folders inside it. Characters that Spark escapes in the names of folders may be"
          + " plain or escaped; write a comma in a value as `%2C`. Partitions outside the table's"
          + " folder match no name. To override it once: `.option(\"repave.only\", \"\")`."),
  SHRINK(
      "repave.shrink",
      Kind.FRACTION,
      "0",
      "The part of its rows that a replaced partition must have after an overwrite, such as `0.5`;"
          + " with fewer, the job fails before its commit is decided. `0` switches this off. The"
          + " rows of Parquet files are read from their footers, those of ORC files from Repave's"
          + " records; a replaced partition with any other file fails the job. To override it once:"
          + " `.option(\"repave.shrink\", \"0\")`.",
      new Range("0", "1")),
  RUN(
      "repave.run",
      Kind.TEXT,
      "",
      "A name for one run of a job, such as `dag/task/run_id`. Use the same name when the run is"
          + " retried. Each write gets a token: the run's name and the number of the write among"
          + " this application's writes to the table. So a job that died and is retried in a new"
          + " application does not repeat its committed writes. The job must write to each table in"
          + " the same order, one write after another. After a failed write it may only try the same"
          + " write again. A statement that fails after its commit, for example in the catalog,"
          + " counts as failed. Its retry adds no row. Batches of a stream do not use it."),
  TOKEN(
      "repave.token",
      Kind.TEXT,
      "",
      "A name for one write, such as a stream's name and its batch number. Use the same name"
          + " when the write is repeated: a second commit with the token of a decided commit"
          + " changes nothing, so an append is safe to repeat. Set it for the write, as its option or in"
          + " `repave.write_options`; for a whole session use `repave.run`. A token of another write is refused before any"
          + " task runs."),
  PART_SIZE(
      "repave.part.size",
      Kind.SIZE,
      "8m",
      "The size of the parts in which a file is uploaded. A file has at most 10,000 parts. S3"
          + " requires at least 5m for every part but the last.",
      new Range("5m", "1g")),
  UPLOAD_MEMORY(
      "repave.upload.memory",
      Kind.SIZE,
      "256m",
      "The bytes of memory for all files that one JVM is writing, at least twice the part size. A"
          + " part that does not fit waits, or goes to local disk. The default is limited to a"
          + " quarter of the heap. The first write in a JVM sets it.",
      new Range("10m", "")),
  UPLOAD_THREADS(
      "repave.upload.threads",
      Kind.COUNT,
      "32",
      "The number of concurrent upload requests in one JVM, at most the bucket's"
          + " fs.s3a.connection.maximum. The first write in a JVM sets it.",
      new Range("1", "1000")),
  UPLOAD_SPILL(
      "repave.upload.spill",
      Kind.TEXT,
      "",
      "The local folder for parts that do not fit into memory. By default the folders of"
          + " `fs.s3a.buffer.dir`, in turn."),
  MESSAGE_SIZE(
      "repave.message.size",
      Kind.SIZE,
      "1m",
      "The largest list of uploads that a task sends in its message to the driver. A larger list is"
          + " stored among the table's records, and the message names it.",
      new Range("0", "1g")),
  STATS_COLUMNS(
      "repave.stats.columns",
      Kind.LIST,
      "",
      "Columns whose lowest and highest value and number of nulls are recorded for each Parquet"
          + " file, at most 8, so that readers of the records can skip files. They must be at the"
          + " top of the schema; other names are ignored."),
  ORDER(
      "repave.order",
      Kind.LIST,
      "",
      "The order of the rows in each file, such as `id` or `id, ts desc nulls last`, without"
          + " partition columns. The job checks that Spark's plan delivers it, before any task"
          + " writes, and that the pages of each Parquet file are in it, when the file is closed;"
          + " otherwise it fails and publishes nothing. In Python, `repave.ordered` sorts the rows"
          + " like this."),
  COMMIT_THREADS(
      "repave.commit.threads",
      Kind.COUNT,
      "128",
      "The number of concurrent requests of a commit, a recovery or vacuum, at most the bucket's"
          + " fs.s3a.connection.maximum. The first commit to a bucket in a JVM sets it.",
      new Range("1", "1000")),
  HEARTBEAT(
      "repave.heartbeat",
      Kind.DURATION,
      "2s",
      "The interval of a running commit's heartbeats. Another job that waits for the commit"
          + " finishes it if nothing changes for four intervals, at most `repave.lease`.",
      new Range("100ms", "15s")),
  LEASE(
      "repave.lease",
      Kind.DURATION,
      "1m",
      "The next job that begins finishes a commit whose last sign of life is older than this,"
          + " without waiting. Keep it at four `repave.heartbeat` of the other jobs or longer:"
          + " otherwise running commits are finished twice, which costs requests. A commit of version"
          + " 0.1, which writes no heartbeats, counts as dead if it does not change for this time.",
      new Range("1ms", "1d")),
  DRAIN(
      "repave.drain",
      Kind.DURATION,
      "5m",
      "How long the revert of a commit waits for requests that may still arrive. With"
          + " `repave.single.writer`, a job also waits so long after each write of the head without"
          + " an answer. It must be longer than any request can take.",
      new Range("5s", "1d")),
  RETRY_BUDGET(
      "repave.retry.budget",
      Kind.DURATION,
      "5m",
      "How long a request is repeated, from its first failure, while its outcome is unknown or the"
          + " store is busy.",
      new Range("1ms", "1d")),
  CHECKPOINT_EVERY(
      "repave.checkpoint.every",
      Kind.COUNT,
      "20",
      "Versions between two checkpoints of the records. Snapshot tables with at most 40,000 files"
          + " use a quarter of it, but at least 5 and at most this number. While the head's list of"
          + " commits is long, a larger number counts as 20.",
      new Range("1", "1000")),
  DELTA_CHECKPOINT_EVERY(
      "repave.delta.checkpoint.every",
      Kind.COUNT,
      "100",
      "The number of versions between two checkpoints of a Delta log. Readers of the log read one"
          + " checkpoint and one small file for each version since.",
      new Range("1", "10000")),
  RETENTION(
      "repave.retention",
      Kind.DURATION,
      "7d",
      "How long vacuum keeps replaced files of a snapshot table, and uploads that no commit lists."
          + " A job that runs longer is cancelled by a vacuum. `repave costs --storage` and"
          + " `repave report` count by it what a vacuum would delete.",
      new Range("0s", "")),
  HISTORY_RETENTION(
      "repave.history.retention",
      Kind.DURATION,
      "90d",
      "How long vacuum keeps the records of published commits: history, manifests and tokens."
          + " At least `repave.retention`. Records that a readable version needs are kept.",
      new Range("0s", "")),
  LOCATIONS_ALLOWED(
      "repave.locations.allowed",
      Kind.LIST,
      "",
      "Folders outside a table (`s3://bucket/folder`) that hold its partitions. Outside the table,"
          + " a recovery completes or deletes files only in these folders."),
  SINGLE_WRITER(
      "repave.single.writer",
      Kind.FLAG,
      "false",
      "Declares that no two jobs write to a table at the same time, for a store without conditional"
          + " writes. If two jobs do so, data is silently lost. After a job that died, wait for"
          + " `repave.drain` before the next job or recovery."),
  SUCCESS_MARKER(
      "repave.success.marker",
      Kind.FLAG,
      "true",
      "Whether a commit writes `_SUCCESS`. The default is Hadoop's"
          + " `mapreduce.fileoutputcommitter.marksuccessfuljobs`."),
  PLAN_FROM_RECORDS(
      "repave.plan.from.records",
      Kind.FLAG,
      "true",
      "Whether Spark 4 plans reads of a snapshot table's `repave://` path, and of names in the"
          + " catalog at such a path, from the records. With `false` it lists them, as Spark 3.5"
          + " does."),
  STORE_SCHEME(
      "repave.store.scheme",
      Kind.TEXT,
      "s3a",
      "The scheme of the file system that holds the data of `repave://` paths.");

  /** The form of a value. */
  public enum Kind {
    TEXT("text"),
    LIST("comma-separated list"),
    CHOICE("one of the choices"),
    SIZE("bytes, with k, m, g or t for powers of 1024"),
    DURATION("a number with ms, s, m, h or d"),
    COUNT("a number from 1"),
    FRACTION("a number such as 0.5"),
    FLAG("true or false");

    private final String form;

    Kind(String form) {
      this.form = form;
    }

    public String form() {
      return form;
    }
  }

  /** The smallest and the largest value, as a user writes them; "" for no limit. */
  public record Range(String least, String most) {
    static final Range ALL = new Range("", "");

    @Override
    public String toString() {
      String from = least.isEmpty() ? "" : "from " + least;
      return most.isEmpty() ? from : from + " to " + most;
    }
  }

  private final String key;
  private final Kind kind;
  private final String fallback;
  private final String doc;
  private final Range range;
  private final List<String> choices;

  /** A setting with any value, or with one of {@code choices}. */
  Setting(String key, Kind kind, String fallback, String doc, String... choices) {
    this(key, kind, fallback, doc, Range.ALL, choices);
  }

  Setting(String key, Kind kind, String fallback, String doc, Range range, String... choices) {
    this.key = key;
    this.kind = kind;
    this.fallback = fallback;
    this.doc = doc;
    this.range = range;
    this.choices = List.of(choices);
  }

  /** The name in Hadoop's configuration and in the options of a write. */
  public String key() {
    return key;
  }

  public Kind kind() {
    return kind;
  }

  /** The default value; "" for none. */
  public String fallback() {
    return fallback;
  }

  public String doc() {
    return doc;
  }

  /** The range of a number. */
  public Range range() {
    return range;
  }

  /** The values of a {@link Kind#CHOICE}. */
  public List<String> choices() {
    return choices;
  }
}
