package io.repave.hadoop.upload;

import io.repave.core.ledger.FileFacts;
import io.repave.core.store.Content;
import io.repave.hadoop.footer.ParquetFooter;
import io.repave.hadoop.footer.WantedFacts;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** A part whose bytes are in an array. */
record ArrayPart(byte[] content) implements Part {
  /** The facts of a file that is sent in parts of this size. */
  static FileFacts facts(byte[] file, int partBytes) {
    return content(file, partBytes, WantedFacts.NONE).facts();
  }

  /** The same, with what is wanted of the file. */
  static ParquetFooter.Content content(byte[] file, int partBytes, WantedFacts wanted) {
    PassingFile passing = new PassingFile(wanted);
    int at = 0;
    for (; file.length - at > partBytes; at += partBytes) {
      passing.part(new ArrayPart(Arrays.copyOfRange(file, at, at + partBytes)));
    }
    return passing.last(new ArrayPart(Arrays.copyOfRange(file, at, file.length)));
  }

  @Override
  public int bytes() {
    return content.length;
  }

  @Override
  public Content view() {
    return Content.of(List.of(ByteBuffer.wrap(content)));
  }

  @Override
  public byte[] read(int from, int length) {
    Objects.checkFromIndexSize(from, length, content.length);
    return Arrays.copyOfRange(content, from, from + length);
  }

  @Override
  public void release() {}
}
