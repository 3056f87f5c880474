package io.repave.spark.check;

import io.repave.hadoop.RepaveFileSystem;
import io.repave.spark.bridge.SessionParts;
import java.net.URI;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.internal.SessionState;
import scala.Option;

/** The tables at {@code repave://} paths that the catalog of a session has. */
final class NamesAtRepave {
  private final SessionState state;

  NamesAtRepave(SparkSession session) {
    state = SessionParts.state(session);
  }

  SessionState state() {
    return state;
  }

  /** Empty for a name of another path, and for one that the catalog does not have. */
  Optional<CatalogTable> find(TableIdentifier id) throws Exception {
    if (!state.catalog().tableExists(id)) {
      return Optional.empty();
    }
    CatalogTable table = state.catalog().getTableMetadata(id);
    Option<URI> location = table.storage().locationUri();
    return location.isDefined() && RepaveFileSystem.isPath(location.get())
        ? Optional.of(table)
        : Optional.empty();
  }

  static Path location(CatalogTable table) {
    return new Path(table.storage().locationUri().get());
  }
}
