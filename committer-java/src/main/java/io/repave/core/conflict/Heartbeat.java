package io.repave.core.conflict;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.engine.TableContext;
import io.repave.core.record.CommitId;
import io.repave.core.record.RecordCodec;
import io.repave.core.store.Clock;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Shows that the process of a commit is alive, by rewriting a small record at an interval. Other
 * jobs watch whether the record changes. Safety does not depend on it: when a commit is wrongly
 * considered dead, two processes finish it with the same result.
 *
 * <p>Requests: 1 PUT per interval, starting after the first one, and 1 DELETE; none for a faster
 * commit. Readers see: nothing. If the process dies here: the record stays until vacuum.
 */
public final class Heartbeat implements AutoCloseable {
  private final TableContext context;
  private final Location at;
  private final String nonce;
  private final Clock.Repetition repetition;
  private int beats;

  private Heartbeat(TableContext context, CommitId commit, int beats) {
    this.context = context;
    this.beats = beats;
    this.at = context.paths().heartbeat(commit);
    this.nonce = context.ports().nonces().get();
    long millis = context.settings().heartbeatMillis();
    this.repetition = millis > 0 ? context.clock().every(millis, this::beat) : () -> {};
  }

  /** Starts a heartbeat; the first beat comes after one interval. */
  public static Heartbeat start(TableContext context, CommitId commit) {
    return new Heartbeat(context, commit, 0);
  }

  /** The same for a commit whose own process may have left a record. */
  public static Heartbeat resume(TableContext context, CommitId commit) {
    return new Heartbeat(context, commit, 1);
  }

  /**
   * Takes over a commit from a process that seems dead. Of several processes that try, the one that
   * replaces the record they all saw wins. {@code seen} is the record's etag, "" when there was
   * none. Returns false when another process won or the commit's process is alive.
   */
  public static boolean takeOver(TableContext context, CommitId commit, String seen) {
    Location at = context.paths().heartbeat(commit);
    ByteBuffer content = content(context.ports().nonces().get(), 0);
    try {
      if (seen.isEmpty()) {
        context.store().putIfAbsent(at, content);
      } else {
        context.store().putIfMatch(at, content, seen);
      }
      return true;
    } catch (StoreException e) {
      return e.kind() != Kind.REFUSED;
    }
  }

  private void beat() {
    try {
      synchronized (this) {
        context.store().put(at, content(nonce, ++beats));
      }
    } catch (StoreException | RuntimeException missed) {
      // The next beat may succeed. An exception that leaves here would end all of them.
    }
  }

  private static ByteBuffer content(String nonce, int beat) {
    ObjectNode json = RecordCodec.begin("heartbeat").put("nonce", nonce).put("beat", beat);
    return ByteBuffer.wrap(RecordCodec.seal(json));
  }

  /** Stops and deletes the record, because the commit is finished. */
  public synchronized void end() throws IOException, InterruptedException {
    repetition.close();
    if (beats > 0) {
      try {
        context.store().delete(List.of(at));
      } catch (StoreException left) {
        // Vacuum removes it.
      }
    }
  }

  @Override
  public void close() {
    repetition.close();
  }
}
