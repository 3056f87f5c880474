package io.repave.sim;

import io.repave.core.engine.EngineSettings;
import io.repave.core.error.CommitFailedException;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.ledger.Upload;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.ProcessDied;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Runs a job as Spark does: begin, tasks, commit, and an abort after any exception. */
final class JobRun {
  enum Outcome {
    NOT_BEGUN,
    DIED,
    SUCCEEDED,
    FAILED,
    UNKNOWN
  }

  private static final String ATTEMPT = "-1.parquet";
  private static final String LOST_ATTEMPT = "-2.parquet";

  final JobSpec spec;
  Outcome outcome = Outcome.NOT_BEGUN;
  String failure = "";
  boolean died;

  private final EngineSettings settings;

  private final boolean abortedAfterSuccess;

  /** {@code abortedAfterSuccess}: Spark aborts when its statistics fail after the commit. */
  JobRun(JobSpec spec, EngineSettings settings, boolean abortedAfterSuccess) {
    this.spec = spec;
    this.settings = settings;
    this.abortedAfterSuccess = abortedAfterSuccess;
  }

  void run(World.Process process, Protocol protocol) {
    process.world().checker.know(spec);
    try {
      Protocol.Job job = begin(process, protocol);
      if (job == null) {
        return;
      }
      Ledger ledger = ledger(upload(process.world(), protocol));
      try {
        job.commit(ledger);
        outcome = Outcome.SUCCEEDED;
        moveCatalog(process, protocol);
        if (abortedAfterSuccess) {
          abort(job, ledger);
        }
      } catch (CommitFailedException e) {
        failed(Outcome.FAILED, e);
        abort(job, ledger);
      } catch (IOException e) {
        failed(Outcome.UNKNOWN, e);
        process.world().catalogMissed = true;
        abort(job, ledger);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts a simulation", e);
    } catch (ProcessDied end) {
      died = true;
      process.world().catalogMissed = true;
      outcome = outcome == Outcome.NOT_BEGUN ? Outcome.DIED : outcome;
    }
  }

  /** The commit has succeeded, so the engine only reports a failure here. */
  private static void moveCatalog(World.Process process, Protocol protocol)
      throws InterruptedException {
    try {
      protocol.moveCatalog(process);
    } catch (IOException notMoved) {
      process.world().catalogMissed = true;
    }
  }

  private void failed(Outcome how, Exception e) {
    outcome = how;
    failure = e.toString();
  }

  private Protocol.Job begin(World.Process process, Protocol protocol) throws InterruptedException {
    try {
      return protocol.begin(process, settings, spec);
    } catch (IOException e) {
      failure = e.toString();
      return null;
    }
  }

  private static void abort(Protocol.Job job, Ledger ledger) throws InterruptedException {
    try {
      job.abort(ledger);
    } catch (IOException ignored) {
      // Spark logs it and goes on.
    }
  }

  static Ledger ledger(List<Upload> uploads) {
    try {
      return new TaskLedgers(List.of(TestTable.taskLedger(uploads)));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  List<Upload> upload(World world) {
    return upload(world, Protocol.REAL);
  }

  /**
   * Writes the files of the tasks, without faults, and that of an attempt which is lost before it
   * can undo anything. Uploads stay open.
   */
  List<Upload> upload(World world, Protocol protocol) {
    boolean direct = world.readers == Readers.SNAPSHOT && protocol.putsDirectly(spec);
    List<Upload> uploads = new ArrayList<>();
    try {
      for (String file : spec.files()) {
        uploads.add(write(world, file, direct));
      }
      if (!spec.files().isEmpty()) {
        write(world, spec.files().get(0).replace(ATTEMPT, LOST_ATTEMPT), direct);
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return uploads;
  }

  private Upload write(World world, String file, boolean direct) throws IOException {
    byte[] content = spec.commit().getBytes(StandardCharsets.UTF_8);
    Location at = world.paths.root().resolve(file);
    String folder = JobSpec.folder(file);
    String name = JobSpec.name(file);
    if (direct) {
      world.store.put(at, ByteBuffer.wrap(content));
      return new Upload(folder, name, "", content.length, content.length, List.of());
    }
    String id = world.store.createUpload(at);
    String etag = world.store.uploadPart(at, id, 1, ByteBuffer.wrap(content));
    return new Upload(folder, name, id, content.length, content.length, List.of(etag));
  }
}
