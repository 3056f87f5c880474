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

/** The tables that the catalog of a session has. */
final class NamedTables {
  private final SessionState state;

  NamedTables(SparkSession session) {
    state = SessionParts.state(session);
  }

  SessionState state() {
    return state;
  }

  /** Empty for a name of another path than {@code repave://}, and for an absent one. */
  Optional<CatalogTable> findAtRepave(TableIdentifier id) throws Exception {
    return find(id).filter(NamedTables::isAtRepave);
  }

  /** A table at any path; empty for a name that the catalog does not have. */
  Optional<CatalogTable> find(TableIdentifier id) throws Exception {
    return state.catalog().tableExists(id)
        ? Optional.of(state.catalog().getTableMetadata(id))
        : Optional.empty();
  }

  static boolean isAtRepave(CatalogTable table) {
    Option<URI> location = table.storage().locationUri();
    return location.isDefined() && RepaveFileSystem.isPath(location.get());
  }

  static Path location(CatalogTable table) {
    return new Path(table.storage().locationUri().get());
  }
}
