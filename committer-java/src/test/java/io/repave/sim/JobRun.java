package io.repave.sim;

import io.repave.core.engine.EngineSettings;
import io.repave.core.error.CommitFailedException;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.TaskLedger;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.ledger.Upload;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.ProcessDied;
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
      Ledger ledger = ledger(upload(process.world()));
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
      return new TaskLedgers(List.of(TaskLedger.encode(uploads)));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Uploads the files of the tasks, without faults. On a listing table the uploads stay open. */
  List<Upload> upload(World world) {
    List<Upload> uploads = new ArrayList<>();
    byte[] content = spec.commit().getBytes(StandardCharsets.UTF_8);
    for (String file : spec.files()) {
      Location at = world.paths.root().resolve(file);
      String folder = JobSpec.folder(file);
      String name = JobSpec.name(file);
      try {
        if (world.readers == Readers.SNAPSHOT) {
          world.store.put(at, ByteBuffer.wrap(content));
          uploads.add(new Upload(folder, name, "", content.length, content.length, List.of()));
        } else {
          String id = world.store.createUpload(at);
          String etag = world.store.uploadPart(at, id, 1, ByteBuffer.wrap(content));
          uploads.add(new Upload(folder, name, id, content.length, content.length, List.of(etag)));
        }
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
    return uploads;
  }
}
