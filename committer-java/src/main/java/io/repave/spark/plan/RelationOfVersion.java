package io.repave.spark.plan;

import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.read.VersionFiles;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap$;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.immutable.Map;
import scala.collection.immutable.Map$;

/** Makes Spark's relation of a path from the records of its table, or from memory. */
final class RelationOfVersion {
  private static final Map<String, String> NO_OPTIONS =
      CaseInsensitiveMap$.MODULE$.apply(Map$.MODULE$.empty());

  private final SparkSession session;
  private final FileFormat format;
  private final Path path;
  private final Option<StructType> given;
  private final SchemaChecks checks;

  RelationOfVersion(SparkSession session, FileFormat format, PlannedRead read) {
    this.session = session;
    this.format = format;
    this.path = read.path();
    this.given = read.schema();
    this.checks = new SchemaChecks(format, session.sessionState().conf());
  }

  /** Empty if the path is not that of a snapshot table, or if Spark has to list it by itself. */
  Optional<HadoopFsRelation> find() throws IOException {
    Optional<PlannableVersions.Found> found = new PlannableVersions(session).find(path);
    return found.isEmpty()
        ? Optional.empty()
        : relation(found.get().store(), found.get().version());
  }

  private Optional<HadoopFsRelation> relation(RepaveFileSystem store, VersionFiles version)
      throws IOException {
    Path asked = store.makeQualified(path);
    // Spark's inference also reads the settings that a view was created with.
    Object conf = List.of(session.conf().getAll(), SQLConf.get().getAllConfs());
    PlannedVersions.Key key =
        new PlannedVersions.Key(asked, version.version(), format.getClass(), given, conf);
    Optional<PlannedVersions.Planned> planned = PlannedVersions.JVM.find(key);
    if (planned.isEmpty()) {
      planned = plan(store, version);
      planned.ifPresent(found -> PlannedVersions.JVM.keep(key, found));
    }
    return planned.map(found -> relation(index(store, found.files()), found.schema()));
  }

  private Optional<PlannedVersions.Planned> plan(RepaveFileSystem store, VersionFiles version)
      throws IOException {
    IndexedFiles files = IndexedFiles.of(version);
    if (!files.isAsListed()) {
      return Optional.empty();
    }
    RecordsIndex index = index(store, files);
    StructType partitions = index.partitionSchema();
    // Without partitions Spark reads the files in the table's own folder, and no others.
    if (partitions.isEmpty() && files.hasSubfolders()) {
      return Optional.empty();
    }
    Optional<StructType> schema =
        given.isEmpty()
            ? RecordedSchema.of(version.schema(), format, session).or(() -> inferred(index))
            : Optional.of(rest(partitions));
    return schema
        .filter(columns -> checks.pass(columns, partitions))
        .map(columns -> new PlannedVersions.Planned(files, columns));
  }

  private RecordsIndex index(RepaveFileSystem store, IndexedFiles files) {
    Path asked = store.makeQualified(path);
    ShownVersion shown = VersionsOfStatement.ofThread().shown(store, asked, files);
    return new RecordsIndex(session, NO_OPTIONS, given, shown, files);
  }

  /** The columns of the user's schema that are in the files. */
  private StructType rest(StructType partitions) {
    StructType rest = new StructType();
    for (StructField column : given.get().fields()) {
      if (Arrays.stream(partitions.fields()).noneMatch(each -> isSame(column, each))) {
        rest = rest.add(column);
      }
    }
    return rest;
  }

  private boolean isSame(StructField one, StructField other) {
    return (Boolean) session.sessionState().conf().resolver().apply(one.name(), other.name());
  }

  /** Spark reads the footer of a file. */
  private Optional<StructType> inferred(RecordsIndex index) {
    Option<StructType> schema = format.inferSchema(session, NO_OPTIONS, index.allFiles());
    return schema.isEmpty() ? Optional.empty() : Optional.of(schema.get());
  }

  private HadoopFsRelation relation(RecordsIndex index, StructType schema) {
    StructType partitions = index.partitionSchema();
    return new HadoopFsRelation(
        index, partitions, schema.asNullable(), Option.empty(), format, NO_OPTIONS, session);
  }
}
