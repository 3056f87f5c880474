package io.repave.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.repave.core.engine.DeliveryGuards;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.Readers;
import io.repave.hadoop.upload.SpillFolders;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RepaveSettingsTest {
  private static final String BUCKET = "lake";

  private final Configuration conf = new Configuration(false);
  private final RepaveSettings settings = new RepaveSettings(conf);

  @Test
  void defaultsAreValid() throws InvalidConfigException {
    settings.check();
    assertThat(settings.readers()).isEmpty();
    assertThat(settings.parts(BUCKET).partBytes()).isEqualTo(8 << 20);
    assertThat(settings.manages("s3a")).isTrue();
    assertThat(settings.manages("S3")).isTrue();
    assertThat(settings.manages("hdfs")).isFalse();
    assertThat(settings.manages(null)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " , ", "s3a://", "s3a s3", "s3,3s"})
  void aListOfSchemesThatManagesNothingIsRefused(String schemes) {
    conf.set("repave.schemes", schemes);
    for (String scheme : new String[] {"s3a", "hdfs", null}) {
      assertThatThrownBy(() -> settings.manages(scheme))
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageStartingWith("repave.schemes ");
    }
    assertThatThrownBy(settings::check).hasMessageStartingWith("repave.schemes ");
  }

  @Test
  void schemesHaveNoCase() throws InvalidConfigException {
    conf.set("repave.schemes", "S3A, minIO");
    assertThat(settings.manages("s3a")).isTrue();
    assertThat(settings.manages("minio")).isTrue();
    assertThat(settings.manages("s3")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"repave.run,''", "repave.run,'  '", "spark.repave.run,''", "repave.token,' '"})
  void anEmptyNameOfAWriteIsRefused(String key, String value) {
    conf.set(key, value);
    Setting setting = key.endsWith("run") ? Setting.RUN : Setting.TOKEN;
    assertThatThrownBy(() -> settings.requireNoEmptyName(setting))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(key.replace("spark.", "") + " is empty");
    assertThatThrownBy(() -> RepaveSettings.checkOptions(Map.of(key.replace("spark.", ""), value)))
        .hasMessageContaining("is empty");
  }

  /** Spark passes on what is under this prefix when it starts, and nothing later. */
  @ParameterizedTest
  @CsvSource({"spark.hadoop.repave.only", "spark.hadoop.repave.onyl", "spark.hadoop.Repave.run"})
  void aSettingThatSparkDoesNotPassOnIsRefused(String late) throws InvalidConfigException {
    conf.set("spark.hadoop.repave.shrink", "0.5");
    conf.set("repave.shrink", "0.1");
    Map<String, String> started = Map.of("spark.hadoop.repave.shrink", "0.5");
    RepaveSettings.requireNoneLate(conf, started::get);
    conf.set(late, "dt=7");
    assertThatThrownBy(() -> RepaveSettings.requireNoneLate(conf, started::get))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(late + " is 'dt=7', but")
        .hasMessageContaining(
            "Set " + late.toLowerCase(Locale.ROOT).substring("spark.hadoop.".length()));
  }

  @Test
  void aSettingThatHasItsEffectByItsOtherNameIsNotRefused() throws InvalidConfigException {
    conf.set("spark.hadoop.repave.only", "dt=7");
    conf.set("repave.only", "dt=7");
    RepaveSettings.requireNoneLate(conf, key -> null);
  }

  @Test
  void uploadsTakeNoMoreThanAQuarterOfTheHeapUnlessToldTo() throws InvalidConfigException {
    long quarter = Runtime.getRuntime().maxMemory() / 4;
    assertThat(settings.uploadMemory())
        .isEqualTo(Math.min(256L << 20, Math.max(16 << 20, quarter)))
        .isLessThanOrEqualTo(Math.max(16 << 20, quarter));
    conf.set("repave.upload.memory", "20g");
    assertThat(settings.uploadMemory()).isEqualTo(20L << 30);
    conf.unset("repave.upload.memory");
    conf.set("spark.repave.upload.memory", "2g");
    assertThat(settings.uploadMemory()).isEqualTo(2L << 30);
  }

  @Test
  void partsOverflowToTheFoldersInWhichTheConnectorBuffers(@TempDir Path folder)
      throws IOException {
    Path first = Files.createDirectory(folder.resolve("first"));
    Path second = folder.resolve("second");
    conf.set("fs.s3a.buffer.dir", first + "," + second);
    SpillFolders spill = settings.parts(BUCKET).spill();

    assertThat(new HashSet<>(List.of(spill.folder(1), spill.folder(1), spill.folder(1))))
        .containsExactlyInAnyOrder(first, second);
    assertThat(second).isDirectory();
    assertThatThrownBy(() -> spill.folder(Long.MAX_VALUE))
        .hasMessageContaining("none of the folders of fs.s3a.buffer.dir (" + first)
        .hasMessageContaining("set repave.upload.spill");
  }

  @Test
  void aBucketsOwnBufferFoldersComeFirst(@TempDir Path folder) throws IOException {
    conf.set("fs.s3a.buffer.dir", "/nowhere");
    conf.set("fs.s3a.bucket.lake.buffer.dir", folder.resolve("large").toString());
    SpillFolders spill = settings.parts(BUCKET).spill();

    assertThat(spill.folder(1)).isEqualTo(folder.resolve("large")).isDirectory();
    assertThatThrownBy(() -> spill.folder(Long.MAX_VALUE))
        .hasMessageContaining("none of the folders of fs.s3a.bucket.lake.buffer.dir (");
  }

  @Test
  void partsOverflowToTheFolderThatIsSet(@TempDir Path folder) throws IOException {
    conf.set("fs.s3a.buffer.dir", "/nowhere");
    conf.set("repave.upload.spill", folder.resolve("spill").toString());

    assertThat(settings.parts(BUCKET).spill().folder(1))
        .isEqualTo(folder.resolve("spill"))
        .isDirectory();
  }

  @ParameterizedTest
  @CsvSource({
    "8m, 8388608",
    "8M, 8388608",
    "8 MiB, 8388608",
    "64mb, 67108864",
    "12345678, 12345678"
  })
  void sizesReadAsPeopleWriteThem(String text, long bytes) throws InvalidConfigException {
    conf.set("repave.part.size", text);
    assertThat(settings.bytes(Setting.PART_SIZE)).isEqualTo(bytes);
  }

  @Test
  void atMostEightColumnsAtTheTopHaveBounds() throws InvalidConfigException {
    assertThat(settings.statsColumns().names()).isEmpty();
    conf.set("repave.stats.columns", "a, b,c,d,e,f,g,h,a");
    settings.check();
    assertThat(settings.statsColumns().names()).hasSize(8).startsWith("a", "b");
    conf.set("repave.stats.columns", "a,b,c,d,e,f,g,h,i");
    assertThatThrownBy(settings::check)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("names 9 columns, and at most 8");
    conf.set("repave.stats.columns", "id,address.city");
    assertThatThrownBy(settings::check)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("repave.stats.columns names 'address.city'");
  }

  @Test
  void anOrderIsOneThatFilesCanHave() throws InvalidConfigException {
    assertThat(settings.order().isEmpty()).isTrue();
    conf.set("repave.order", "id, ts desc");
    settings.check();
    assertThat(settings.wantedFacts().order().text()).isEqualTo("id, ts desc");
    int usual = settings.wantedFacts().exactBytes();
    conf.set("parquet.columnindex.truncate.length", "16");
    assertThat(settings.wantedFacts().exactBytes()).isEqualTo(usual - 48);
    conf.set("repave.order", "id upwards");
    assertThatThrownBy(settings::check)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("repave.order is 'id upwards', which is not like id, ts desc");
  }

  @ParameterizedTest
  @CsvSource({"90s, 90000", "250ms, 250", "2h, 7200000", "7d, 604800000"})
  void durationsNameTheirUnit(String text, long millis) throws InvalidConfigException {
    conf.set("repave.retention", text);
    assertThat(settings.millis(Setting.RETENTION)).isEqualTo(millis);
  }

  @Test
  void onlyASingleWriterWaitsForLateWritesOfTheHead() throws InvalidConfigException {
    conf.set("repave.drain", "7m");
    assertThat(settings.retryPolicy().lateMillis()).isZero();
    conf.set("repave.single.writer", "true");
    assertThat(settings.retryPolicy().lateMillis()).isEqualTo(420_000);
  }

  @ParameterizedTest
  @CsvSource({
    "repave.lease, 90",
    "repave.part.size, 8 parsecs",
    "repave.part.size, 4m",
    "repave.part.size, 200m",
    "repave.upload.threads, 0",
    "repave.readers, tabloid",
    "repave.single.writer, yes",
    "repave.retention, 99999999999999999999d",
    "repave.shrink, half",
    "repave.shrink, 50%",
    "repave.shrink, -0.5",
    "repave.shrink, 1.000000001",
    "repave.only, 2026-11-20",
    "repave.only, dt=",
    "repave.only, =1",
    "repave.only, dt=1/",
    "repave.only, /dt=1",
    "repave.only, 'dt=1,h'",
    "repave.only, ','",
    "repave.raeders, snapshot",
    "spark.repave.part.sise, 8m"
  })
  void whatCannotBeIsRefusedByItsName(String key, String value) {
    conf.set(key, value);
    assertThatThrownBy(settings::check)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(key);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "dt=2026-11-20 | dt=2026-11-20",
        "dt=1/h=2 | dt=1/h=2",
        "at=2026-11-20 03:00:00 | at=2026-11-20 03%3A00%3A00",
        "at=2026-11-20 03%3A00%3A00 | at=2026-11-20 03%3A00%3A00",
        "at=2026-11-20 03%3a00 | at=2026-11-20 03%3A00",
        "c=a%2Cb | c=a,b",
        "c=a%2Fb | c=a%2Fb",
        "c=a=b | c=a%3Db",
        "c=50%25 | c=50%25",
        "c=50% | c=50%25",
        "c=[é] | c=%5Bé%5D",
        "c=%24 | c=$"
      })
  void aPartitionIsNamedAsItsFolderOrWithPlainCharacters(String name, String folder)
      throws InvalidConfigException {
    conf.set("repave.only", " dt=0 , " + name);
    assertThat(settings.guards().only()).containsExactly("dt=0", folder);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "0.5, 0.5", "1, 1", "1.0, 1.0", "0.000000001, 0.000000001"})
  void thePartThatMustRemainIsANumberFrom0To1(String text, BigDecimal part)
      throws InvalidConfigException {
    conf.set("repave.shrink", text);
    assertThat(settings.guards()).isEqualTo(new DeliveryGuards(List.of(), part));
  }

  @Test
  void thereAreNoGuardsUnlessTheyAreSet() throws InvalidConfigException {
    assertThat(settings.guards()).isEqualTo(DeliveryGuards.NONE);
    conf.set("spark.repave.only", "dt=1");
    conf.set("repave.only", "");
    assertThat(settings.guards().limitsFolders()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "repave.raeders, Did you mean repave.readers?",
    "repave.Token, Did you mean repave.token?",
    "REPAVE.TOKEN, Did you mean repave.token?",
    "Spark.Repave.Only, Did you mean repave.only?",
    "repave.partsize, Did you mean repave.part.size?",
    "spark.repave.locations, There are: repave.checkpoint.every",
    "repave.compression, There are: repave.checkpoint.every"
  })
  void aMisspeltSettingIsAnsweredWithTheNearestOne(String key, String hint) {
    conf.set(key, "8m");
    assertThatThrownBy(settings::check)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("There is no setting " + key + ". " + hint);
  }

  @ParameterizedTest
  @CsvSource({
    "repave.part.size, 1k, from 5m to 1g",
    "repave.part.size, 2g, from 5m to 1g",
    "repave.upload.memory, 9m, from 10m",
    "repave.commit.threads, 0, from 1 to 1000",
    "repave.lease, 2d, from 1ms to 1d",
    "repave.heartbeat, 16s, from 100ms to 15s",
    "repave.drain, 0s, from 5s to 1d"
  })
  void aNumberOutsideItsRangeIsRefusedWithTheRange(String key, String value, String range) {
    conf.set(key, value);
    assertThatThrownBy(settings::check)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(key + " is '" + value + "', which is outside its range, " + range);
  }

  /** Another job waits for four intervals, and at most for its own lease. */
  @Test
  void theDefaultLeaseIsAtLeastFourOfTheLongestHeartbeats() throws InvalidConfigException {
    conf.set("repave.heartbeat", Setting.HEARTBEAT.range().most());
    assertThat(4 * settings.millis(Setting.HEARTBEAT))
        .isLessThanOrEqualTo(settings.millis(Setting.LEASE));
  }

  @ParameterizedTest
  @EnumSource(Setting.class)
  void theEndsOfARangeAreInsideIt(Setting setting) throws InvalidConfigException {
    for (String end : List.of(setting.range().least(), setting.range().most())) {
      if (!end.isEmpty()) {
        conf.set("repave.upload.memory", "2g");
        conf.set(setting.key(), end);
        conf.set("repave.part.size", setting == Setting.PART_SIZE ? end : "5m");
        settings.check();
      }
    }
  }

  @Test
  void theOptionOfAWriteGoesBeforeTheConfOfTheApplication() throws InvalidConfigException {
    conf.set("spark.repave.readers", "snapshot");
    assertThat(settings.readers()).contains(Readers.SNAPSHOT);
    conf.set("repave.readers", "listing");
    assertThat(settings.readers()).contains(Readers.LISTING);
  }

  @Test
  void hadoopsOwnSwitchForSuccessMarkersCountsUntilOursIsSet() throws InvalidConfigException {
    assertThat(settings.marksSuccess()).isTrue();
    conf.set("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false");
    assertThat(settings.marksSuccess()).isFalse();
    conf.set("repave.success.marker", "true");
    assertThat(settings.marksSuccess()).isTrue();
  }

  @Test
  void theTableAsJsonHoldsEverySetting() throws Exception {
    JsonNode all = new ObjectMapper().readTree(SettingsJson.print());
    assertThat(all).hasSize(Setting.values().length);
    JsonNode readers = all.get(Setting.READERS.ordinal());
    assertThat(readers.get("key").asText()).isEqualTo("repave.readers");
    assertThat(readers.get("kind").asText()).isEqualTo("choice");
    assertThat(readers.get("choices")).hasSize(2);
    assertThat(readers.get("text").asText()).endsWith(".");
    JsonNode partSize = all.get(Setting.PART_SIZE.ordinal());
    assertThat(partSize.get("least").asText()).isEqualTo("5m");
    assertThat(partSize.get("most").asText()).isEqualTo("1g");
  }
}
