package io.repave.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidConfigException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Blocks of options: what they give, what they refuse, and that an ended one is not forgotten. */
class OptionBlockTest {
  private final List<OptionBlock> opened = new ArrayList<>();

  @AfterEach
  void close() {
    opened.forEach(OptionBlock::close);
  }

  private OptionBlock open(Map<String, String> options, OptionBlock outer) throws Exception {
    OptionBlock block = OptionBlock.open(options, outer == null ? null : outer.id());
    opened.add(block);
    return block;
  }

  private void refuses(Map<String, String> options, OptionBlock outer, String text) {
    assertThatThrownBy(() -> open(options, outer))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(text);
  }

  @Test
  void anInnerBlockAddsToTheOuterOne() throws Exception {
    OptionBlock outer = open(Map.of("repave.token", " x "), null);
    OptionBlock inner = open(Map.of("repave.only", "dt=1", "repave.token", "x"), outer);
    assertThat(inner.values()).isEqualTo(Map.of("repave.token", "x", "repave.only", "dt=1"));
    assertThat(inner.giverOf(Setting.TOKEN)).containsSame(outer);
    assertThat(inner.giverOf(Setting.ONLY)).containsSame(inner);
    assertThat(outer.giverOf(Setting.ONLY)).isEmpty();
    assertThat(inner.close()).contains(outer.id());
    assertThat(outer.close()).isEmpty();
  }

  @Test
  void valuesThatDifferAreRefused() throws Exception {
    OptionBlock outer = open(Map.of("repave.shrink", "0.5"), null);
    refuses(Map.of("repave.shrink", "0"), outer, "give repave.shrink: '0.5' and '0'");
    assertThat(OptionBlock.find(outer.id())).containsSame(outer);
  }

  @Test
  void wrongOptionsAreRefusedAtOnce() {
    refuses(Map.of(), null, "has no option");
    refuses(Map.of("repave.token", " "), null, "is empty");
    refuses(Map.of("repave.onyl", "x"), null, "Did you mean repave.only?");
    refuses(Map.of("only", "x"), null, "their names begin with repave.");
    refuses(Map.of("repave.shrink", "2"), null, "outside its range");
  }

  @Test
  void theIdOfABlockThatHasEndedIsRefused() throws Exception {
    OptionBlock block = open(Map.of("repave.only", "dt=1"), null);
    block.close();
    assertThatThrownBy(() -> OptionBlock.find(block.id()))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("has ended");
    refuses(Map.of("repave.only", "dt=1"), block, "has ended");
  }
}
