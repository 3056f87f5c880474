package io.repave.core.engine;

import io.repave.core.store.Clock;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Measures the steps of one commit and reports its progress. */
public final class Meter {
  private final Clock clock;
  private final Progress progress;
  private final Map<Step, Long> millis = new EnumMap<>(Step.class);

  public Meter(Clock clock, Progress progress) {
    this.clock = clock;
    this.progress = progress;
  }

  /** Begins a step; {@code total} is 0 when it has nothing to count. */
  public Span begin(Step step, long total) {
    progress.at(step, 0, total);
    return new Span(step, total);
  }

  /** Milliseconds by step; a step that ran twice counts both runs. */
  public Map<Step, Long> millis() {
    return Map.copyOf(millis);
  }

  /** A running step; ends when closed. */
  public final class Span implements AutoCloseable {
    private final Step step;
    private final long total;
    private final long startedMillis = clock.tickMillis();
    private final AtomicLong done = new AtomicLong();

    private Span(Step step, long total) {
      this.step = step;
      this.total = total;
    }

    public void done(long more) {
      progress.at(step, done.addAndGet(more), total);
    }

    @Override
    public void close() {
      millis.merge(step, clock.tickMillis() - startedMillis, Long::sum);
    }
  }
}
