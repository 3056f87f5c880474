package io.repave.spark.catalog;

import io.repave.core.Table;
import io.repave.core.engine.CommitResult;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.RecordNames;
import io.repave.spark.bridge.ScalaMembers;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogStorageFormat;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogTablePartition;
import org.apache.spark.sql.execution.datasources.PartitioningUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * Adds the partitions of a write to the catalog if another write, a static overwrite by the table's
 * name, has removed them since this one began. Spark adds those only that the catalog did not have
 * when it began, so readers by name would miss rows.
 */
public final class RestoredPartitions {
  private static final Logger LOG = LoggerFactory.getLogger(RestoredPartitions.class);

  /** After its publication an overwrite deletes old files, and then Spark removes partitions. */
  private static final long REMOVAL_MILLIS_MAX = 600_000;

  /** So many partitions are asked for one by one. A list of all may take seconds. */
  private static final int ASKED_MAX = 10;

  private final SparkSession session;
  private final CatalogTable entry;

  /** {@code entry} is a table whose partitions are in the catalog of the session. */
  public RestoredPartitions(SparkSession session, CatalogTable entry) {
    this.session = session;
    this.entry = entry;
  }

  /**
   * After the commit of a job that began with a head; {@code written} are its folders. Requests: 1
   * GET of the head if others committed meanwhile. If one of them, or one shortly before, was a
   * static overwrite, up to 10 calls of the metastore, and one more if a partition is missing. A
   * failure is only logged, because the commit has succeeded.
   */
  public void afterWrite(Table table, Head begun, CommitResult result, Collection<String> written)
      throws InterruptedException {
    String name = entry.identifier().unquotedString();
    try {
      if (isOverwrittenBesides(table, begun, result)) {
        add(written);
      }
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception | LinkageError e) {
      // Hive's exceptions are of any kind, and Scala declares none.
      LOG.warn(
          "Version {} of {} is published, but the catalog may lack partitions of it, because an"
              + " overwrite by name ended at the same time: {} Run MSCK REPAIR TABLE {}, or"
              + " RepaveTable.register for a table at repave://.",
          result.version(),
          name,
          e.getMessage(),
          name);
    }
  }

  private static boolean isOverwrittenBesides(Table table, Head begun, CommitResult result)
      throws IOException, InterruptedException {
    long since = System.currentTimeMillis() - REMOVAL_MILLIS_MAX;
    for (LoggedCommit commit : begun.log()) {
      if (commit.kind() == CommitKind.STATIC && commit.publishedMillis() > since) {
        return true;
      }
    }
    long others = result.version() - begun.version() - 1;
    if (others <= 0) {
      return false;
    }
    for (LoggedCommit commit : table.history((int) Math.min(others + 1, Integer.MAX_VALUE))) {
      boolean own = commit.id().equals(result.by());
      if (commit.kind() == CommitKind.STATIC && commit.version() > begun.version() && !own) {
        return true;
      }
    }
    return false;
  }

  private void add(Collection<String> written) throws IOException {
    TableIdentifier id = entry.identifier();
    ExternalCatalogCalls catalog = ExternalCatalogCalls.of(session);
    List<?> columns = ScalaMembers.partitionColumns(entry);
    Map<String, List<String>> unknown = usual(written, columns);
    Set<List<String>> known = new HashSet<>();
    for (CatalogTablePartition each : found(catalog, unknown.keySet())) {
      known.add(MetastoreLocations.values(each, columns));
    }
    unknown.values().removeAll(known);
    CatalogStorageFormat usual = MetastoreLocations.usual(entry.storage());
    List<CatalogTablePartition> missing = new ArrayList<>();
    for (String folder : withoutOthers(catalog, unknown.keySet())) {
      missing.add(catalog.partition(PartitioningUtils.parsePathFragment(folder), usual));
    }
    catalog.create(id.database().get(), id.table(), missing);
  }

  /**
   * The values of the folders that are named by a value of each column. Other folders are known to
   * the catalog.
   */
  private Map<String, List<String>> usual(Collection<String> folders, List<?> columns) {
    Map<String, List<String>> usual = new LinkedHashMap<>();
    for (String folder : folders) {
      try {
        if (!RecordNames.isOutside(folder)) {
          usual.put(folder, MetastoreLocations.values(entry, folder, columns));
        }
      } catch (IOException otherColumns) {
        // The catalog has another name for its partition.
      }
    }
    return usual;
  }

  /**
   * The folders without those in which the catalog has a partition of another value: {@code ALTER
   * TABLE … RENAME TO PARTITION} leaves the files of an external table where they are. To add the
   * value in the folder's name would show its rows twice.
   */
  private List<String> withoutOthers(ExternalCatalogCalls catalog, Set<String> folders) {
    if (folders.isEmpty()) {
      return List.of();
    }
    TableIdentifier id = entry.identifier();
    Set<String> taken = new HashSet<>();
    for (CatalogTablePartition each : catalog.partitions(id.database().get(), id.table())) {
      if (each.storage().locationUri().isDefined()) {
        taken.add(place(each.storage().locationUri().get()));
      }
    }
    String table = place(entry.storage().locationUri().get());
    return folders.stream().filter(it -> !taken.contains(table + "/" + it)).toList();
  }

  /** The bucket and key of a folder, which several schemes name. */
  private static String place(URI folder) {
    URI uri = new Path(folder).toUri();
    String path = uri.getPath();
    return uri.getAuthority() + (path.endsWith("/") ? path.substring(0, path.length() - 1) : path);
  }

  /** At least those of some folders' partitions that the catalog has. */
  private List<CatalogTablePartition> found(ExternalCatalogCalls catalog, Set<String> folders) {
    String database = entry.identifier().database().get();
    String name = entry.identifier().table();
    if (folders.size() > ASKED_MAX) {
      return catalog.partitions(database, name);
    }
    List<CatalogTablePartition> found = new ArrayList<>();
    for (String folder : folders) {
      Option<?> values = Option.apply(PartitioningUtils.parsePathFragment(folder));
      found.addAll(catalog.partitions(database, name, values));
    }
    return found;
  }
}
