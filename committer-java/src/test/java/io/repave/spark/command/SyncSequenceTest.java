package io.repave.spark.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.spark.bridge.SneakyThrow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SyncSequenceTest {
  private final List<String> ran = new ArrayList<>();

  private String synced() {
    ran.add("others");
    return "{}";
  }

  @Test
  void theCatalogIsMovedBeforeTheOthersFollow() throws Exception {
    String answer =
        SyncSequence.run(
            () -> {
              ran.add("catalog");
              return "";
            },
            this::synced);
    assertThat(answer).isEqualTo("{}");
    assertThat(ran).containsExactly("catalog", "others");
  }

  @Test
  void aCatalogThatFailsDoesNotKeepTheOthersBack() {
    Exception ofHive = new Exception("no metastore");
    assertThatThrownBy(
            () ->
                SyncSequence.run(
                    () -> {
                      throw SneakyThrow.as(ofHive);
                    },
                    this::synced))
        .isSameAs(ofHive);
    assertThat(ran).containsExactly("others");
  }

  @Test
  void theFirstFailureIsThrownAndTheSecondIsKept() {
    assertThatThrownBy(
            () ->
                SyncSequence.run(
                    () -> {
                      throw new IOException("first");
                    },
                    () -> {
                      throw new IOException("second");
                    }))
        .hasMessage("first")
        .satisfies(it -> assertThat(it.getSuppressed()[0]).hasMessage("second"));
  }
}
