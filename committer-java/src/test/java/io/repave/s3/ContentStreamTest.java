package io.repave.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.store.Content;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The SDK reads, marks, resets and reads again. Each reader has its own position. */
class ContentStreamTest {
  private static final byte[] BYTES = {1, 2, 3, 4, 5, 6, 7};
  private static final Content CONTENT =
      Content.of(
          List.of(
              ByteBuffer.wrap(BYTES, 0, 3),
              ByteBuffer.allocate(0),
              ByteBuffer.wrap(BYTES, 3, 1),
              ByteBuffer.wrap(BYTES, 4, 3)));

  @Test
  void allPiecesAreReadInOrderAsOftenAsAsked() throws IOException {
    for (int i = 0; i < 2; i++) {
      ContentStream stream = new ContentStream(CONTENT);
      assertThat(stream.available()).isEqualTo(BYTES.length);
      assertThat(stream.readAllBytes()).isEqualTo(BYTES);
      assertThat(stream.read()).isEqualTo(-1);
      assertThat(stream.read(new byte[2], 0, 2)).isEqualTo(-1);
    }
  }

  @Test
  void aMarkIsWhereAResetLeads() throws IOException {
    for (int at = 0; at <= BYTES.length; at++) {
      ContentStream stream = new ContentStream(CONTENT);
      assertThat(stream.skip(at)).isEqualTo(at);
      stream.mark(1);
      byte[] rest = Arrays.copyOfRange(BYTES, at, BYTES.length);
      assertThat(stream.readAllBytes()).isEqualTo(rest);
      stream.reset();
      assertThat(stream.available()).isEqualTo(rest.length);
      assertThat(stream.readAllBytes()).isEqualTo(rest);
    }
  }

  @Test
  void withoutAMarkAResetLeadsToTheStart() throws IOException {
    ContentStream stream = new ContentStream(CONTENT);
    assertThat(stream.read()).isEqualTo(1);
    stream.reset();
    assertThat(stream.readAllBytes()).isEqualTo(BYTES);
    assertThat(stream.skip(3)).isZero();
    assertThat(stream.skip(-1)).isZero();
  }

  @Test
  void nothingIsAnEmptyStream() throws IOException {
    assertThat(new ContentStream(Content.of(List.of())).read()).isEqualTo(-1);
    assertThat(new ContentStream(Content.of(ByteBuffer.allocate(0))).readAllBytes()).isEmpty();
  }
}
