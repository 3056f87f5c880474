package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.CommitKind;
import io.repave.core.store.Location;
import org.junit.jupiter.api.Test;

class VacuumTest {
  private static final long DAY_MILLIS = 86_400_000;

  private final Lake lake = new Lake();

  @Test
  void anUploadThatATrialOfTheStoreCouldNotClearUpGoesWithTheOthers() throws Exception {
    lake.commit(CommitKind.APPEND, "p=1");
    Location left = lake.paths.records().resolve("probe-1-upload");
    lake.store.createUpload(left);

    assertThat(lake.table().vacuum(DAY_MILLIS).uploads()).isZero();
    assertThat(lake.store.openUploads()).hasSize(1);
    lake.clock.advance(DAY_MILLIS);
    assertThat(lake.table().vacuum(DAY_MILLIS).uploads()).isEqualTo(1);
    assertThat(lake.store.openUploads()).isEmpty();
  }

  @Test
  void anUploadOfAnotherProgramStays() throws Exception {
    lake.commit(CommitKind.APPEND, "p=1");
    lake.store.createUpload(lake.paths.root().resolve("p=1/of-another.parquet"));
    lake.clock.advance(DAY_MILLIS);

    assertThat(lake.table().vacuum(0).uploads()).isZero();
    assertThat(lake.store.openUploads()).hasSize(1);
  }
}
