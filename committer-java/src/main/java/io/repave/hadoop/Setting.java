package io.repave.hadoop;

import java.util.List;

/**
 * Every setting there is: its name, its default, what a value looks like and what it does. The
 * documentation, the Python keywords and the options of the command line are made from this table.
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
      "Whether Repave commits Spark's writes. With `false` every write goes to the fallback"
          + " protocol; run `repave adopt` on tables that were written so."),
  EXCLUDE(
      "repave.exclude",
      Kind.LIST,
      "",
      "Buckets and folders (`s3://bucket`, `s3://bucket/folder`) whose writes Repave does not"
          + " commit. They go to the fallback protocol, with everything below them."),
  FALLBACK_PROTOCOL(
      "repave.fallback.protocol",
      Kind.TEXT,
      "org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol",
      "Spark's commit protocol for the paths that Repave does not commit. When the site names one"
          + " in `spark.sql.sources.commitProtocolClass`, `configure_session` puts it here."),
  READERS(
      "repave.readers",
      Kind.CHOICE,
      "listing",
      "Who reads the table: `listing` for engines that list folders, `snapshot` for engines that go"
          + " through Repave's records. The first write decides for good; a later one that asks for"
          + " the other is refused.",
      "listing",
      "snapshot"),
  CONFLICT(
      "repave.conflict",
      Kind.CHOICE,
      "fail",
      "What an overwrite does when another job changed the same partitions, by an append or an"
          + " overwrite, after this job's base version. The base is taken when the job begins, after"
          + " it has waited for unfinished commits. `fail`: the job fails. `last-writer`: it"
          + " replaces what it finds.",
      "fail",
      "last-writer"),
  RUN(
      "repave.run",
      Kind.TEXT,
      "",
      "A name for one run of a whole job, the same whenever that run is tried again, such as a"
          + " scheduler's run id. Each write gets a token from it: the run and the number of earlier"
          + " writes to the table in this application. So a job that died and is started again, in"
          + " a new application, repeats none of its writes. It has to write to each table in the"
          + " same order, one write after the other. Batches of a stream get no such token."),
  TOKEN(
      "repave.token",
      Kind.TEXT,
      "",
      "A name for one write, the same whenever that write is repeated, such as a streaming query's"
          + " id and its batch number. A second commit with the token of a commit that was decided"
          + " changes nothing, which makes an append safe to repeat. Set it as an option of the write;"
          + " for a whole session set `repave.run`. A token that stands for another write is refused"
          + " before any task."),
  PART_SIZE(
      "repave.part.size",
      Kind.SIZE,
      "8m",
      "The size of the parts in which a file is uploaded. A file has at most 10,000 parts, and S3"
          + " requires at least 5m for all but the last.",
      new Range("5m", "1g")),
  UPLOAD_MEMORY(
      "repave.upload.memory",
      Kind.SIZE,
      "256m",
      "The bytes that all files being written in one JVM may hold in memory, at least twice the"
          + " part size. What does not fit waits, or goes to local disk. Unless it is set, it is at"
          + " most a quarter of the heap. The first write in a JVM decides.",
      new Range("10m", "")),
  UPLOAD_THREADS(
      "repave.upload.threads",
      Kind.COUNT,
      "32",
      "Concurrent upload requests in one JVM; never more than the bucket's"
          + " fs.s3a.connection.maximum. The first write in a JVM decides.",
      new Range("1", "1000")),
  UPLOAD_SPILL(
      "repave.upload.spill",
      Kind.TEXT,
      "",
      "The local folder for parts that do not fit into memory; by default the folders of"
          + " `fs.s3a.buffer.dir`, in turn."),
  MESSAGE_SIZE(
      "repave.message.size",
      Kind.SIZE,
      "1m",
      "A task's list of uploads travels in its message to the driver up to this size. A larger one"
          + " is stored among the table's records, and the message names it.",
      new Range("0", "1g")),
  COMMIT_THREADS(
      "repave.commit.threads",
      Kind.COUNT,
      "128",
      "Concurrent requests while a job commits, recovers or vacuums; never more than the"
          + " bucket's fs.s3a.connection.maximum. The first commit to a bucket in a JVM decides.",
      new Range("1", "1000")),
  HEARTBEAT(
      "repave.heartbeat",
      Kind.DURATION,
      "2s",
      "How often a commit that takes longer than this shows that it is alive. Another job that"
          + " waits for it finishes it when nothing changed for four times as long.",
      new Range("100ms", "1m")),
  LEASE(
      "repave.lease",
      Kind.DURATION,
      "1m",
      "How long an unfinished commit without a heartbeat must stay unchanged before another job"
          + " finishes it. A commit whose last sign of life is older than this is finished at once.",
      new Range("1ms", "1d")),
  DRAIN(
      "repave.drain",
      Kind.DURATION,
      "5m",
      "How long a commit that is being reverted waits for requests that may still arrive. Must be"
          + " longer than any request can live.",
      new Range("5s", "1d")),
  RETRY_BUDGET(
      "repave.retry.budget",
      Kind.DURATION,
      "5m",
      "How long one request is repeated while its outcome is unknown or the store is busy.",
      new Range("1ms", "1d")),
  CHECKPOINT_EVERY(
      "repave.checkpoint.every",
      Kind.COUNT,
      "20",
      "The number of published versions after which a commit writes a checkpoint.",
      new Range("1", "1000")),
  RETENTION(
      "repave.retention",
      Kind.DURATION,
      "7d",
      "How long vacuum keeps replaced files of a snapshot table, and uploads that no commit names.",
      new Range("0s", "")),
  HISTORY_RETENTION(
      "repave.history.retention",
      Kind.DURATION,
      "90d",
      "How long vacuum keeps the records of published commits: history, manifests and tokens."
          + " Never shorter than `repave.retention`; records that a readable version needs stay.",
      new Range("0s", "")),
  LOCATIONS_ALLOWED(
      "repave.locations.allowed",
      Kind.LIST,
      "",
      "Folders outside a table (`s3://bucket/folder`) that hold partitions of it. Only there may a"
          + " recovery complete or delete files outside the table."),
  SINGLE_WRITER(
      "repave.single.writer",
      Kind.FLAG,
      "false",
      "Declares that no two jobs write to a table at once, for a store without conditional writes."
          + " With two writers, data is lost silently."),
  SUCCESS_MARKER(
      "repave.success.marker",
      Kind.FLAG,
      "true",
      "Whether a commit writes `_SUCCESS`. When not set, Hadoop's"
          + " `mapreduce.fileoutputcommitter.marksuccessfuljobs` decides."),
  STORE_SCHEME(
      "repave.store.scheme",
      Kind.TEXT,
      "s3a",
      "The scheme whose file system holds the data behind `repave://` paths that are read.");

  /** What a value looks like. */
  public enum Kind {
    TEXT("text"),
    LIST("comma-separated list"),
    CHOICE("one of the choices"),
    SIZE("bytes, with k, m, g or t for powers of 1024"),
    DURATION("a number with ms, s, m, h or d"),
    COUNT("a number from 1"),
    FLAG("true or false");

    private final String form;

    Kind(String form) {
      this.form = form;
    }

    public String form() {
      return form;
    }
  }

  /** The least and the most that a value may be, as a user writes them; "" is no bound. */
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

  /** A setting of any value, or one of {@code choices}. */
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

  /** Its name in Hadoop's configuration and among the options of a write. */
  public String key() {
    return key;
  }

  public Kind kind() {
    return kind;
  }

  /** The value when nothing is set, "" for none. */
  public String fallback() {
    return fallback;
  }

  public String doc() {
    return doc;
  }

  /** What a number may be. */
  public Range range() {
    return range;
  }

  /** The values of a {@link Kind#CHOICE}. */
  public List<String> choices() {
    return choices;
  }
}
