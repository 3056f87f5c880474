package io.repave.spark.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.follow.Locations;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.PartitionEscapes;
import io.repave.core.store.Location;
import io.repave.spark.bridge.ProductCopy;
import io.repave.spark.bridge.ScalaMaps;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogStorageFormat;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogTableType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.Option;
import scala.collection.immutable.List$;

class PartitionMoveTest {
  private static final Location ROOT = new Location("lake", "sales");
  private static final String FIRST = "@00000000-0000-4000-8000-000000000001";
  private static final String SECOND = "@00000000-0000-4000-8000-000000000002";

  private final Follower follower = Follower.of(FollowerKind.METASTORE, "db.sales", "f1", 1).at(2);
  private final PartitionsInMemory partitions = new PartitionsInMemory();
  private final ExternalCatalogCalls catalog = partitions.catalog();
  private CatalogTable table;

  @BeforeEach
  void createTable() {
    CatalogStorageFormat storage =
        ProductCopy.with(
            CatalogStorageFormat.empty(),
            Option.class,
            Option.apply(URI.create("mem://lake/sales")));
    scala.collection.immutable.List<Object> columns = List$.MODULE$.empty();
    columns = columns.$colon$colon("day");
    table =
        (CatalogTable)
            ProductCopy.created(
                CatalogTable.class,
                new TableIdentifier("sales", Option.apply("db")),
                CatalogTableType.EXTERNAL(),
                storage,
                new StructType(),
                Option.apply("parquet"),
                columns);
  }

  private Locations version(long version, Map<Integer, String> folders) {
    TreeMap<String, Location> all = new TreeMap<>();
    folders.forEach(
        (day, commit) -> {
          Location partition = ROOT.resolve("day=" + day);
          all.put("day=" + day, commit.isEmpty() ? partition : partition.resolve(commit));
        });
    return new Locations(follower, ROOT, version, all);
  }

  private Locations named(long version, Map<String, String> folders) {
    TreeMap<String, Location> all = new TreeMap<>();
    folders.forEach((name, commit) -> all.put(name, ROOT.resolve(name).resolve(commit)));
    return new Locations(follower, ROOT, version, all);
  }

  /** Spark's parser of types needs more libraries than these tests have. */
  private static StructType of(String type) {
    Map<String, DataType> types =
        Map.of(
            "short", DataTypes.ShortType,
            "int", DataTypes.IntegerType,
            "bigint", DataTypes.LongType,
            "float", DataTypes.FloatType,
            "double", DataTypes.DoubleType,
            "date", DataTypes.DateType,
            "timestamp", DataTypes.TimestampType,
            "boolean", DataTypes.BooleanType,
            "decimal(4,0)", DataTypes.createDecimalType(4, 0),
            "decimal(5,2)", DataTypes.createDecimalType(5, 2));
    DataType chosen = types.getOrDefault(type, DataTypes.StringType);
    return new StructType().add("DAY", chosen);
  }

  private List<String> move(Locations wanted) throws Exception {
    return new PartitionMove(catalog, table, wanted).run();
  }

  @Test
  void partitionsAreAddedMovedAndDropped() throws Exception {
    move(version(1, Map.of(1, FIRST, 2, FIRST)));
    move(version(2, Map.of(2, SECOND, 3, SECOND)));
    assertThat(partitions.locations()).isEqualTo(Map.of("2", SECOND, "3", SECOND));
  }

  /** Both have listed the catalog before the partition was there. */
  @Test
  void aPartitionThatASlowerProcessHasCreatedGetsTheNewerLocation() throws Exception {
    move(version(1, Map.of(1, FIRST)));
    Locations older = version(2, Map.of(1, FIRST, 2, FIRST));
    partitions.afterNextList(() -> move(older));
    move(version(3, Map.of(1, SECOND, 2, SECOND, 3, SECOND)));
    assertThat(partitions.locations()).isEqualTo(Map.of("1", SECOND, "2", SECOND, "3", SECOND));
  }

  /** Readers that list recursively read the folders of commits there too. */
  @Test
  void partitionsThatARollbackPutsBackIntoPlainFoldersAreReported() throws Exception {
    assertThat(move(version(2, Map.of(1, FIRST, 2, "", 3, FIRST, 4, FIRST))))
        .containsExactly("day=2");
    assertThat(move(version(3, Map.of(1, SECOND, 2, "", 3, SECOND)))).isEmpty();
    assertThat(move(version(4, Map.of(1, "", 2, "", 3, FIRST, 4, ""))))
        .containsExactly("day=1", "day=4");
    Locations begun =
        new Locations(follower.again("f2"), ROOT, 5, version(5, Map.of(3, "", 5, "")).folders());
    assertThat(move(begun)).as("when following begins every folder is plain").isEmpty();
  }

  /** Hive 2 answers a count by them. */
  @Test
  void aPartitionThatMovesLosesTheStatisticsOfItsFormerFiles() throws Exception {
    move(version(1, Map.of(1, FIRST, 2, FIRST)));
    for (String parameter :
        List.of("numRows", "COLUMN_STATS_ACCURATE", "spark.sql.statistics.numRows", "team")) {
      partitions.parameter(parameter, "x");
    }
    move(version(2, Map.of(1, SECOND, 2, FIRST)));
    assertThat(partitions.parameters("1")).containsExactly("team");
    assertThat(partitions.parameters("2")).hasSize(4);
  }

  @ParameterizedTest
  @CsvSource({
    "int, x",
    "int, 1.5",
    "int, 3000000000",
    "bigint, 1e3",
    "double, a",
    "'decimal(4,0)', 10000",
    "date, 2026-11-21 03:00:00",
    "date, monday",
    "timestamp, x",
    "boolean, 7",
    "date, 2026-13",
    "date, 2026-02-30",
    "timestamp, 2026-02-30 10:00:00",
    "timestamp, 2026-11-21 99:99",
    "'decimal(5,2)', 1.234"
  })
  void aValueOfAnotherTypeThanTheColumnStopsTheTable(String type, String value) throws Exception {
    table = ProductCopy.with(table, StructType.class, of(type));
    Locations other = named(1, Map.of("day=" + PartitionEscapes.escape(value), FIRST));
    assertThatThrownBy(() -> move(other))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("in the folder 'day=")
        .hasMessageContaining("db.sales")
        .hasMessageContaining("stay at the version before");
    assertThat(partitions.calls()).containsExactly("listPartitions");
  }

  @ParameterizedTest
  @CsvSource({
    "int, 7",
    "bigint, 3000000000",
    "double, 7d",
    "'decimal(4,0)', 1000",
    "date, 2026-11-21",
    "timestamp, 2026-11-21 03:00:00",
    "timestamp, 2026-11-21",
    "boolean, true",
    "string, x",
    "int, __HIVE_DEFAULT_PARTITION__",
    "short, 7",
    "float, 1.5",
    "date, 2026-11-21 00:00:00",
    "timestamp, 2026-11-21 10",
    "timestamp, 2026-11-21 10:00:00.5",
    "'decimal(5,2)', 1.230000000",
    "'decimal(5,2)', 0"
  })
  void aValueOfTheColumnsTypeIsAPartition(String type, String value) throws Exception {
    table = ProductCopy.with(table, StructType.class, of(type));
    move(named(1, Map.of("day=" + PartitionEscapes.escape(value), FIRST)));
    assertThat(partitions.locations()).hasSize(1);
  }

  @Test
  void aPartitionThatTheCatalogHasIsMovedWhateverItsValueIs() throws Exception {
    move(named(1, Map.of("day=x", FIRST)));
    table = ProductCopy.with(table, StructType.class, of("int"));
    move(named(2, Map.of("day=x", SECOND, "day=7", SECOND)));
    assertThat(partitions.locations()).isEqualTo(Map.of("x", SECOND, "7", SECOND));
  }

  @Test
  void anotherFailureIsNotTriedAgain() throws Exception {
    partitions.refuseNewPartitions();
    assertThatThrownBy(() -> move(version(1, Map.of(1, FIRST)))).hasMessage("no permission");
    assertThat(partitions.calls())
        .containsExactly("listPartitions", "createPartitions", "listPartitions");
  }

  @Test
  void aVersionThatTheCatalogHasTakesOneCall() throws Exception {
    move(version(1, Map.of(1, FIRST)));
    int before = partitions.calls().size();
    move(version(2, Map.of(1, FIRST)));
    assertThat(partitions.calls()).hasSize(before + 1).endsWith("listPartitions");
  }

  /** {@code DROP TABLE} would delete the folder of a managed table, with every version. */
  @Test
  void onlyAnExternalTableMayFollow() throws Exception {
    MetastoreLocations.requireExternal("db.sales", table);
    CatalogTable managed =
        ProductCopy.with(table, CatalogTableType.class, CatalogTableType.MANAGED());
    assertThatThrownBy(() -> MetastoreLocations.requireExternal("db.sales", managed))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("db.sales at mem://lake/sales is a managed table")
        .hasMessageContaining("DROP TABLE db.sales would delete that folder")
        .hasMessageContaining("Nothing was changed")
        .hasMessageContaining("ALTER TABLE db.sales SET TBLPROPERTIES ('EXTERNAL'='TRUE')");
  }

  /** Hive 4 drops such an external table like a managed one. */
  @Test
  void aTableThatHivePurgesMayNotFollow() throws Exception {
    CatalogTable purged = with("external.table.purge", "TRUE");
    assertThatThrownBy(() -> MetastoreLocations.requireExternal("db.sales", purged))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("DROP TABLE would delete that folder")
        .hasMessageContaining("Nothing was changed")
        .hasMessageContaining(
            "ALTER TABLE db.sales SET TBLPROPERTIES ('external.table.purge'='false')");
    MetastoreLocations.requireExternal("db.sales", with("external.table.purge", "false"));
  }

  @Test
  void aTableWhosePartitionsHiveDiscoversMayNotFollow() {
    CatalogTable discovered = with("discover.partitions", "true");
    assertThatThrownBy(() -> MetastoreLocations.requireExternal("db.sales", discovered))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("SET TBLPROPERTIES ('discover.partitions'='false')");
  }

  private CatalogTable with(String property, String value) {
    return ProductCopy.with(
        table,
        scala.collection.immutable.Map.class,
        ScalaMaps.updated(table.properties(), property, value));
  }

  @Test
  void theMarkIsAddedToTheOtherProperties() throws Exception {
    Locations wanted = version(1, Map.of());
    assertThat(FollowerMark.isOn(table, wanted)).isFalse();
    CatalogTable marked = FollowerMark.on(table, wanted);
    assertThat(FollowerMark.isOn(marked, wanted)).isTrue();
    assertThat(marked.storage()).isEqualTo(table.storage());
    FollowerMark.require("db.sales", marked, wanted);
    assertThatThrownBy(() -> FollowerMark.require("db.sales", table, wanted))
        .hasMessageContaining("its property repave.follower is absent")
        .hasMessageContaining("the one that follows has f1")
        .hasMessageContaining("RepaveTable.follow(\"db.sales\", rebuild=True)");
    Locations begun = new Locations(follower.again("f2"), ROOT, 1, new TreeMap<>());
    assertThatThrownBy(() -> FollowerMark.require("db.sales", marked, begun))
        .as("only the call that lets a table follow marks it")
        .hasMessageContaining("the one that follows has f2");
    assertThat(FollowerMark.isOn(FollowerMark.on(marked, begun), begun)).isTrue();
  }
}
