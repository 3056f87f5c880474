package io.repave.testing;

import io.repave.core.store.Location;

/** Runs an action once: before the first call that fits. */
public final class OnceBefore implements InterceptingStore.Hook {
  /** Chooses the call. */
  @FunctionalInterface
  public interface Condition {
    boolean fits(StoreCall call, Location at) throws Exception;
  }

  private final Condition condition;
  private final Unchecked.Action action;
  private boolean happened;

  public OnceBefore(Condition condition, Unchecked.Action action) {
    this.condition = condition;
    this.action = action;
  }

  /** Before the first call of this kind. */
  public OnceBefore(StoreCall wanted, Unchecked.Action action) {
    this((call, at) -> call == wanted, action);
  }

  public boolean happened() {
    return happened;
  }

  @Override
  public void at(StoreCall call, Location at) {
    if (!happened && Unchecked.call(() -> condition.fits(call, at))) {
      happened = true;
      Unchecked.run(action);
    }
  }
}
