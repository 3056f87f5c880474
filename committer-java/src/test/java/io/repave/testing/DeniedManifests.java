package io.repave.testing;

import io.repave.core.record.FollowerKind;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;

/** Refuses every request for symlink manifests but listings, so that no follow succeeds. */
public final class DeniedManifests extends InterceptingStore {
  private final TestTable table;

  public DeniedManifests(TestTable table) {
    super(table.store);
    this.table = table;
  }

  @Override
  protected <T> T intercept(StoreCall call, Location at, Call<T> run) throws StoreException {
    if (table.paths.pointer(FollowerKind.SYMLINK).holds(at) && call != StoreCall.LIST) {
      throw new StoreException(StoreException.Kind.DENIED, "403");
    }
    return run.run();
  }
}
