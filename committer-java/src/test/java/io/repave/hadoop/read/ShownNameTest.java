package io.repave.hadoop.read;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ShownNameTest {
  private static final String COMMIT = "11111111-2222-3333-4444-555555555555";
  private static final String FILE = "part-00000-" + COMMIT + "-1.c000.parquet";

  @Test
  void aFileInTheFolderOfItsCommitIsShownInItsPartition() {
    String real = "@" + COMMIT + "/" + FILE;
    String shown = "@" + COMMIT + "~" + FILE;
    assertThat(ShownName.of(real)).isEqualTo(shown);
    assertThat(ShownName.key("sales/dt=1/" + shown)).isEqualTo("sales/dt=1/" + real);
    assertThat(ShownName.key(shown)).isEqualTo(real);
  }

  @Test
  void otherNamesStay() {
    for (String name : new String[] {FILE, "folder/" + FILE, "a~b", "@a~b", "@" + COMMIT + "~x"}) {
      assertThat(ShownName.of(name)).isEqualTo(name);
      assertThat(ShownName.key("sales/" + name)).isEqualTo("sales/" + name);
    }
  }
}
