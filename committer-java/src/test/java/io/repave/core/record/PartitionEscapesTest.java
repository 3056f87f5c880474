package io.repave.core.record;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The names of partition folders. */
class PartitionEscapesTest {
  @ParameterizedTest
  @CsvSource({
    "a b,a b",
    "a=b,a%3Db",
    "50%,50%25",
    "a:b,a%3Ab",
    "[x],%5Bx%5D",
    "{y}^,%7By}%5E",
    "ü,ü"
  })
  void namesAreEscapedAsSparkEscapesThem(String plain, String escaped) {
    assertThat(PartitionEscapes.escape(plain)).isEqualTo(escaped);
    assertThat(PartitionEscapes.unescape(escaped)).isEqualTo(plain);
  }

  @Test
  void aPercentSignThatStartsNoEscapeStands() {
    assertThat(PartitionEscapes.unescape("5%zz%4")).isEqualTo("5%zz%4");
  }

  @Property
  void everyTextComesBack(@ForAll String plain) {
    assertThat(PartitionEscapes.unescape(PartitionEscapes.escape(plain))).isEqualTo(plain);
  }
}
