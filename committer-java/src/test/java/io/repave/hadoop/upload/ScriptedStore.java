package io.repave.hadoop.upload;

import io.repave.core.store.Content;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.testing.InterceptingStore;
import io.repave.testing.StoreCall;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A store whose calls a test may delay or fail, before or after their effect. Keeps a journal of
 * the calls.
 */
public final class ScriptedStore extends InterceptingStore {
  /** A hook that does nothing. */
  public static final Hook NOTHING = (call, at) -> {};

  public final List<StoreCall> journal = new CopyOnWriteArrayList<>();
  public volatile Hook before = NOTHING;

  /** Runs after a call that had its effect. What it throws is the answer to that call. */
  public volatile Hook after = NOTHING;

  /** The most bytes of parts that were on their way at one time. */
  final AtomicLong mostSent = new AtomicLong();

  private final AtomicLong sending = new AtomicLong();

  public ScriptedStore(ObjectStore store) {
    super(store);
  }

  @Override
  protected <T> T intercept(StoreCall call, Location at, Call<T> run) throws StoreException {
    journal.add(call);
    before.at(call, at);
    T answer = run.run();
    after.at(call, at);
    return answer;
  }

  @Override
  public String uploadPart(Location at, String uploadId, int number, Content content)
      throws StoreException {
    long bytes = content.bytes();
    mostSent.accumulateAndGet(sending.addAndGet(bytes), Math::max);
    try {
      return super.uploadPart(at, uploadId, number, content);
    } finally {
      sending.addAndGet(-bytes);
    }
  }
}
