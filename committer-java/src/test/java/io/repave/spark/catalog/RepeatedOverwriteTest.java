package io.repave.spark.catalog;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.hadoop.MemoryFileSystem;
import io.repave.hadoop.TableAccess;
import io.repave.testing.MemoryObjectStore;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which partitions of the catalog Spark may remove after an overwrite that is repeated. */
class RepeatedOverwriteTest {
  private final MemoryObjectStore store = new MemoryObjectStore();
  private final Configuration conf = MemoryFileSystem.conf(store);
  private TableAccess table;

  @BeforeEach
  void open() throws Exception {
    conf.set("repave.schemes", "memory");
    table = TableAccess.of(conf, "memory://lake/sales");
    put("sales/dt=1/part-0.parquet");
  }

  private void put(String key) throws Exception {
    store.put(new Location("lake", key), ByteBuffer.wrap(new byte[] {1}));
  }

  /** The tasks wrote to {@code written}; the catalog has dt=1 and another partition. */
  private void check(String other, Set<String> written) throws Exception {
    List<Path> partitions =
        List.of(new Path("memory://lake/sales/dt=1"), new Path("memory://lake/" + other));
    new RepeatedOverwrite(table, conf, partitions).requireNothingRemoved(written, "night", 7);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sales/dt=2", "elsewhere/dt=2"})
  void aPartitionWithFilesThatNoTaskWroteToIsNotRemoved(String other) throws Exception {
    put(other + "/hour=1/part-0.parquet");
    assertThatThrownBy(() -> check(other, Set.of("dt=1")))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("version 7 of s3://lake/sales has its token 'night'")
        .hasMessageContaining("1 with files")
        .hasMessageContaining("would be among them: s3://lake/" + other + ".");
    String written = table.paths().partition(new Location("lake", other));
    assertThatCode(() -> check(other, Set.of("dt=1", written))).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(strings = {"sales/dt=2", "elsewhere/dt=2"})
  void aPartitionWithoutFilesMayBeRemoved(String other) throws Exception {
    assertThatCode(() -> check(other, Set.of("dt=1"))).doesNotThrowAnyException();
    put(other + "/_SUCCESS");
    assertThatCode(() -> check(other, Set.of("dt=1"))).doesNotThrowAnyException();
  }
}
