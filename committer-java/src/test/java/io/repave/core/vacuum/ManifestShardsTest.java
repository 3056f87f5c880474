package io.repave.core.vacuum;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.store.Location;
import io.repave.testing.TestTable;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The shards of a manifest whose index does not say which of them count. */
class ManifestShardsTest {
  private static final long HOUR = 3_600_000;

  /** A repair of the index may need every shard. */
  @ParameterizedTest
  @ValueSource(strings = {"deleted", "of an unknown format"})
  void aVacuumKeepsAllShardsOfAManifestWhoseIndexItCannotRead(String index) throws Exception {
    TestTable table = new TestTable();
    table.commit(table.request(CommitKind.APPEND), Collections.nCopies(10_100, "dt=1"));
    CommitId ended = table.history().get(0).id();
    table.commit(CommitKind.APPEND, "dt=2");
    Location manifest = table.paths.manifest(ended);
    List<Location> shards =
        table.store.objects().keySet().stream()
            .filter(at -> at.name().startsWith("manifest-"))
            .toList();
    assertThat(shards).hasSizeGreaterThan(1);
    if (index.equals("deleted")) {
      table.store.delete(List.of(manifest));
    } else {
      table.rewrite(manifest, json -> json.replace("\"format\":1,", "\"format\":99,"));
    }
    table.clock.advance(20 * HOUR);

    table.open().vacuum(10 * HOUR);

    assertThat(table.store.objects()).containsKeys(shards.toArray(Location[]::new));
  }
}
