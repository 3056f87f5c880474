package io.repave.hadoop.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.store.Location;
import java.time.Instant;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StorePathTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plain",
        "a b/c d",
        "q=x y%2Fz%3D1%25",
        "100%",
        "%41",
        "a+b",
        "time=12:30:00",
        "ü=ß/日本/😀",
        "a#b?c&d",
        "\"quoted\"/{brace}/[bracket]/back\\slash",
        "~tilde/'single'/*star",
        "tab\tline",
        ".hidden/_under",
        "@version/@v/@vx"
      })
  void everyKeySurvivesTheWayThroughAHadoopPath(String key) {
    Location at = new Location("my_bucket.x", key);
    Path asSparkMakesIt = new Path(StorePath.text("repave", at));
    assertThat(StorePath.of(asSparkMakesIt).at()).isEqualTo(at);
    // Spark ships paths to executors as text, and as URIs.
    assertThat(StorePath.of(new Path(asSparkMakesIt.toString())).at()).isEqualTo(at);
    assertThat(StorePath.of(new Path(asSparkMakesIt.toUri())).at()).isEqualTo(at);
    assertThat(StorePath.location(StorePath.path("s3a", at))).isEqualTo(at);
  }

  @Test
  void aPinIsTakenOutOfThePath() {
    StorePath pinned = StorePath.of(new Path("repave://lake/db/sales/@v42/dt=1/f"));
    assertThat(pinned.at()).isEqualTo(new Location("lake", "db/sales/dt=1/f"));
    assertThat(pinned.table()).isEqualTo(new Location("lake", "db/sales"));
    assertThat(pinned.version()).isEqualTo(42);
    TableVersion version = new TableVersion(pinned.table(), "", 42);
    assertThat(StorePath.of(StorePath.pinned("repave", version, "dt=1/f"))).isEqualTo(pinned);
  }

  @ParameterizedTest
  @CsvSource({
    "t/@v2,true",
    "@v2,true",
    "@v1/t/@2026-11-20,true",
    "t/@v2-0123456789ab,true",
    "@v1/t,false",
    "t/@v02,false",
    "t/@commit,false",
    "t,false"
  })
  void aFolderOfAVersionIsKnownByItsLastSegment(String key, boolean isOfVersion) {
    assertThat(StorePath.isOfVersion(new Location("lake", key))).isEqualTo(isOfVersion);
  }

  @ParameterizedTest
  @ValueSource(strings = {"@v02", "@v00", "@v02-0123456789ab", "@v1234567890123456789", "@v2-0123"})
  void aNameThatIsNoNumberOfAVersionIsAFolder(String name) {
    StorePath folder = StorePath.of(new Path("repave://lake/sales/" + name + "/dt=1"));
    assertThat(folder.isPinned()).isFalse();
    assertThat(folder.at()).isEqualTo(new Location("lake", "sales/" + name + "/dt=1"));
  }

  @Test
  void zerosMayFollowTheFingerprintOfAVersion() {
    TableVersion version = TableVersion.of(new Location("lake", "sales"), "id", 2);
    TableVersion longer = version.withPinOf(30);
    assertThat(longer.pin()).startsWith(version.pin()).hasSize(30);
    assertThat(version.withPinOf(3)).isEqualTo(version);
    StorePath path = StorePath.of(StorePath.pinned("repave", longer, "dt=1/f"));
    assertThat(path.fingerprint()).isEqualTo(longer.fingerprint());
    assertThat(TableVersion.of(path)).isEqualTo(version);
  }

  @Test
  void aMomentIsTakenOutOfThePath() {
    StorePath pinned = StorePath.of(new Path("repave://lake/db/sales/@2026-11-20T03:00Z/dt=1/f"));
    assertThat(pinned.at()).isEqualTo(new Location("lake", "db/sales/dt=1/f"));
    assertThat(pinned.table()).isEqualTo(new Location("lake", "db/sales"));
    assertThat(pinned.moment().map(Moment::instant))
        .contains(Instant.parse("2026-11-20T03:00:00Z"));
    assertThat(pinned.isPinned()).isTrue();
    StorePath root = StorePath.of(new Path("repave://lake/@2026-11-20T03:00:00.5+01:00"));
    assertThat(root.moment().map(Moment::instant))
        .contains(Instant.parse("2026-11-20T02:00:00.5Z"));
    assertThat(root.table()).isEqualTo(new Location("lake", ""));
    for (String plain : List.of("a/@2026", "a/@2026-11-20x", "a/@2026-11-20T03", "a@2026-11-20")) {
      assertThat(StorePath.of(new Path("repave://lake/" + plain)).isPinned()).as(plain).isFalse();
    }
  }

  @Test
  void theBucketsRootCanBeATable() {
    assertThat(StorePath.of(new Path("repave://lake/@v3/dt=1")))
        .isEqualTo(new StorePath(new Location("lake", "dt=1"), 3, new Location("lake", "")));
    assertThat(StorePath.of(new Path("repave://lake/")).at()).isEqualTo(new Location("lake", ""));
    assertThat(StorePath.of(new Path("repave://lake")).isPinned()).isFalse();
  }

  @Test
  void aPathWithoutABucketIsRefused() {
    assertThatThrownBy(() -> StorePath.of(new Path("/no/bucket")))
        .hasMessageContaining("names no bucket");
  }
}
