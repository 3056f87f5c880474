package io.repave.hadoop.upload;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads and the memory that all uploads of a JVM share. The first write sets the limits,
 * because a limit that every task could change would limit nothing.
 */
public final class SharedUploads {
  private static final long IDLE_MILLIS = 30_000;

  private static SharedUploads shared;

  private final Executor pool;
  private final UploadMemory memory;

  SharedUploads(int threads, long memoryBytes, long idleMillis) {
    pool = pool(threads, idleMillis);
    memory = new UploadMemory(memoryBytes);
  }

  public static synchronized SharedUploads ofJvm(int threads, long memoryBytes) {
    if (shared == null) {
      shared = new SharedUploads(threads, memoryBytes, IDLE_MILLIS);
    }
    return shared;
  }

  public Executor pool() {
    return pool;
  }

  public UploadMemory memory() {
    return memory;
  }

  /** Threads start when needed, end when idle, and do not keep the JVM alive. */
  private static Executor pool(int threads, long idleMillis) {
    AtomicInteger count = new AtomicInteger();
    // The queue needs no bound: queued parts have taken their bytes from the upload memory.
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            idleMillis,
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            action -> {
              Thread thread = new Thread(action, "repave-upload-" + count.incrementAndGet());
              thread.setDaemon(true);
              // The threads must not keep the class loader of the first task alive.
              thread.setContextClassLoader(SharedUploads.class.getClassLoader());
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
