package io.repave.core.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.Upload;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VersionFolderNamesTest {
  private static final String OWN = "11111111-2222-3333-4444-555555555555";
  private static final String OTHER = "99999999-2222-3333-4444-555555555555";
  private static final String FILE = "part-00000-" + OWN + "-1.c000.parquet";

  private static Upload checked(String name) throws Exception {
    Upload upload = new Upload("dt=1", name, "", 1, 1, List.of());
    return LedgerJson.check(upload, new CommitId(OWN, 1_000), "the ledger");
  }

  @Test
  void aFileMayBeInTheFolderOfItsOwnCommit() throws Exception {
    assertThat(checked("@" + OWN + "/" + FILE).name()).startsWith("@");
    assertThat(checked(FILE).name()).isEqualTo(FILE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "@" + OTHER + "/" + FILE,
        "@../" + FILE,
        "../" + FILE,
        "folder/" + FILE,
        "@" + OWN + "/../" + FILE,
        "@" + OWN + "//" + FILE,
        "@" + OWN + "/@" + OWN + "/" + FILE,
        "@" + OWN + "/_repave/" + FILE,
        "@" + OWN + "/folder/" + FILE,
        "@" + OWN + "/part-00000-" + OTHER + "-1.c000.parquet",
        "/@" + OWN + "/" + FILE,
      })
  void anyOtherFolderIsRefused(String name) {
    assertThatThrownBy(() -> checked(name)).isInstanceOf(InvalidRecordException.class);
  }
}
