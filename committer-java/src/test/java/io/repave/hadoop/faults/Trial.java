package io.repave.hadoop.faults;

import io.repave.core.Table;
import io.repave.core.engine.Progress;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.store.UploadPage;
import io.repave.hadoop.TableAccess;
import io.repave.hadoop.faults.Job.Task;
import io.repave.hadoop.faults.Job.Told;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;

/** One commit with faults, on its own table, and the table's state after the faults. */
final class Trial {
  /** The outcome of the commit. */
  enum Outcome {
    RIGHT("right at once"),
    FAILED("failed, nothing published"),
    RECOVERED_NEW("unknown, then published"),
    RECOVERED_OLD("unknown, then not published"),
    WRONG("wrong");

    final String title;

    Outcome(String title) {
      this.title = title;
    }
  }

  private static final int SMALL_BYTES = 60;
  private static final int TWO_PARTS_BYTES = 5 * 1024 * 1024 + 1;
  private static final List<String> ALL = List.of("dt=1", "dt=2", "dt=3");

  private final Lane lane;
  private final long lateMillis;
  private final int number;
  private final Random random;
  private final boolean probes;
  private final CommitKind kind;
  private final Configuration conf;
  private final TableAccess clean;
  private final StringBuilder wrong = new StringBuilder();
  private List<String> old = List.of();

  /** {@code probes}: whether the store keeps conditional writes well enough to be tested. */
  Trial(Lane lane, Mode mode, int number, long seed, boolean probes) throws IOException {
    this.lane = lane;
    this.number = number;
    this.probes = probes;
    lateMillis = mode.lateMillis();
    random = new Random(31 * seed + 1_000_003L * mode.ordinal() + number);
    kind = List.of(CommitKind.DYNAMIC, CommitKind.STATIC, CommitKind.APPEND).get(number % 3);
    conf = lane.faulty();
    conf.set("repave.readers", number / 2 % 2 == 0 ? "listing" : "snapshot");
    // Some jobs fail early, so that they end in the middle; others continue to the end.
    conf.set("repave.retry.budget", List.of("1ms", "300ms", "2s", "2s").get(random.nextInt(4)));
    clean = lane.clean(number, conf);
  }

  /** The error in a sentence; "" for none. */
  String wrong() {
    return wrong.isEmpty() ? "" : "trial " + number + ", " + kind + ": " + wrong;
  }

  Outcome run() throws IOException, InterruptedException {
    if (random.nextInt(4) > 0) {
      old = base();
    }
    Job job = new Job(conf, lane.faultyPath(number), kind, tasks(), random.nextInt(8));
    Told told = job.run(probes);
    if (told == Told.COMMITTED) {
      require("right after the commit", fresh(job), seen());
    } else if (told == Told.FAILED) {
      require("right after the failure (" + job.failure() + ")", old, seen());
    }
    Thread.sleep(lateMillis);
    boolean isPublished = recovered(job, told);
    List<String> expected = isPublished ? fresh(job) : old;
    require("after recovery (" + told + ", " + job.failure() + ")", expected, seen());
    vacuum(expected);
    if (!wrong.isEmpty()) {
      return Outcome.WRONG;
    }
    return switch (told) {
      case COMMITTED -> Outcome.RIGHT;
      case FAILED -> Outcome.FAILED;
      case UNKNOWN -> isPublished ? Outcome.RECOVERED_NEW : Outcome.RECOVERED_OLD;
    };
  }

  /** Rows that exist before, committed without the proxy. */
  private List<String> base() throws IOException, InterruptedException {
    List<Task> tasks = new ArrayList<>();
    for (String partition : ALL) {
      tasks.add(new Task(tasks.size(), partition, SMALL_BYTES + random.nextInt(100)));
    }
    Configuration calm = lane.calm(conf);
    Job first = new Job(calm, lane.cleanPath(number), CommitKind.STATIC, tasks, -1);
    if (first.run(false) != Told.COMMITTED) {
      throw new IOException("The table could not be prepared: " + first.failure());
    }
    return first.rows();
  }

  private List<Task> tasks() {
    List<Task> tasks = new ArrayList<>();
    for (String partition : List.of("dt=2", "dt=3", "dt=4")) {
      if (tasks.isEmpty() || random.nextBoolean()) {
        boolean isLong = random.nextInt(50) == 0;
        int bytes = isLong ? TWO_PARTS_BYTES : SMALL_BYTES + random.nextInt(100);
        tasks.add(new Task(tasks.size(), partition, bytes));
      }
    }
    return tasks;
  }

  /** The rows of the table if the job is published. */
  private List<String> fresh(Job job) {
    List<String> rows = new ArrayList<>(job.rows());
    List<String> touched = rows.stream().map(Trial::partition).toList();
    for (String row : old) {
      boolean isKept =
          switch (kind) {
            case APPEND -> true;
            case DYNAMIC -> !touched.contains(partition(row));
            default -> false;
          };
      if (isKept) {
        rows.add(row);
      }
    }
    return rows;
  }

  private static String partition(String row) {
    return row.substring(0, row.indexOf(':'));
  }

  private Table table() throws IOException {
    return clean.table(Progress.SILENT);
  }

  private List<String> seen() throws IOException, InterruptedException {
    Optional<Head> head = table().head();
    return head.isEmpty()
        ? Rows.listed(clean)
        : Rows.seen(clean, table().snapshot(head.get(), head.get().version()));
  }

  /** Finishes unfinished commits. Returns whether the job is published. */
  private boolean recovered(Job job, Told told) throws IOException, InterruptedException {
    // Of another commit: the first job of a snapshot table adopts existing files before it begins.
    boolean wasUnfinished =
        table().recover().stream().anyMatch(each -> each.id().id().equals(job.commit));
    if (wasUnfinished && told != Told.UNKNOWN) {
      note("the job was told " + told + " and was unfinished");
    }
    if (!table().recover().isEmpty()) {
      note("a second recovery found something to do");
    }
    boolean isPublished =
        table().history(Integer.MAX_VALUE).stream()
            .anyMatch(commit -> commit.id().id().equals(job.commit));
    if (isPublished != (told == Told.COMMITTED) && told != Told.UNKNOWN) {
      note("the job was told " + told + " and is " + (isPublished ? "" : "not ") + "published");
    }
    return isPublished;
  }

  /** After vacuum, a plain listing shows the rows of both kinds of tables. */
  private void vacuum(List<String> expected) throws IOException, InterruptedException {
    // A vacuum leaves what a first job that failed could not abort until the table has a head.
    List<String> rows = table().head().isPresent() ? expected : base();
    table().vacuum(0);
    require("listed after vacuum", rows, Rows.listed(clean));
    UploadPage left = clean.store().listUploads(clean.root(), "");
    if (!left.uploads().isEmpty()) {
      note("vacuum left " + left.uploads());
    }
  }

  private void require(String when, List<String> expected, List<String> actual) {
    if (!Rows.sorted(expected).equals(actual)) {
      note(when + " the rows should be " + Rows.sorted(expected) + " and are " + actual);
    }
  }

  private void note(String what) {
    wrong.append(wrong.isEmpty() ? "" : "; ").append(what);
  }
}
