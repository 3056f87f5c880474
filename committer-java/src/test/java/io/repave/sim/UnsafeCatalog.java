package io.repave.sim;

import io.repave.core.Table;
import io.repave.core.engine.TableContext;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Head;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;

/** Wrong ways to move a catalog. */
final class UnsafeCatalog {
  private static final FollowerKind KIND = FollowerKind.METASTORE;
  private static final String NAME = "lake.sales";

  private final World.Process process;
  private final Table table;
  private final StoredCatalog catalog;

  UnsafeCatalog(World.Process process) {
    this.process = process;
    this.table = process.table();
    this.catalog = new StoredCatalog(process.store());
  }

  /** A process that does not see where unfinished appends write. */
  static World.Process blindToAppends(World.Process process) {
    return process.through(
        store ->
            new HeadRewriter(
                store,
                process.world().paths.head(),
                head -> appending(head, it -> List.of("nowhere")),
                (last, next) ->
                    appending(
                        next,
                        it ->
                            last.active(it.id()).map(ActiveCommit::touched).orElse(it.touched()))));
  }

  private static Head appending(Head head, Function<ActiveCommit, List<String>> touched) {
    return head.change()
        .active(
            head.active().stream()
                .map(it -> it.kind() == CommitKind.APPEND ? at(it, touched.apply(it)) : it)
                .toList())
        .done();
  }

  private static ActiveCommit at(ActiveCommit it, List<String> touched) {
    return new ActiveCommit(
        it.id(),
        it.kind(),
        it.state(),
        it.base(),
        it.version(),
        it.token(),
        it.reservedMillis(),
        it.heartbeatMillis(),
        touched);
  }

  /** Says in the head that the catalog has a version, then moves the catalog. */
  void afterHead() throws IOException, InterruptedException {
    Head head = table.head().orElseThrow();
    table.moved(KIND, NAME, head.follower(KIND).orElseThrow().id(), head.version());
    table.move(KIND, catalog);
  }

  /** Does not look whether the head has a newer version by then. */
  void once() throws IOException, InterruptedException {
    boolean[] moved = {false};
    try {
      table.move(
          KIND,
          (name, wanted) -> {
            if (moved[0]) {
              throw new SecondMove();
            }
            moved[0] = true;
            catalog.move(name, wanted);
          });
    } catch (SecondMove ignored) {
      // This is the rule that the mutant breaks.
    }
  }

  private static final class SecondMove extends IOException {
    private static final long serialVersionUID = 1L;
  }

  /** Records its own version as that of the catalog, even when that one is further. */
  void backwards() throws IOException, InterruptedException {
    TableContext context = process.context(World.settings(process.world().readers));
    Head seen = table.head().orElseThrow();
    Follower own = seen.follower(KIND).orElseThrow().at(seen.version() + 1);
    table.move(KIND, catalog);
    new UnsafeFollow(context).record(List.of(own), context.heads().read());
  }

  /** Does not drop the partitions that have no files any more. */
  void keepingPartitions() throws IOException, InterruptedException {
    table.move(
        KIND,
        new StoredCatalog(process.store()) {
          @Override
          void drop(Location at) throws StoreException {}
        });
  }
}
