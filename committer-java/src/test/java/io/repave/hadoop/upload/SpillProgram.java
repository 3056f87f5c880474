package io.repave.hadoop.upload;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * A separate JVM that exits while one part is being written to a folder, its argument, and another
 * one waits there to be sent. Prints how many files are in the folder before the exit.
 */
final class SpillProgram {
  private static final int PART_BYTES = 100_000;

  private SpillProgram() {}

  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    PartBuffer buffer = new PartBuffer(new UploadMemory(1), PART_BYTES, bytes -> folder);
    buffer.write(new byte[PART_BYTES], 0, PART_BYTES);
    Part waiting = buffer.seal();
    buffer.write(new byte[PART_BYTES], 0, PART_BYTES);
    try (Stream<Path> files = Files.list(folder)) {
      System.out.println(files.count() + " files, " + waiting.bytes() + " bytes wait");
    }
  }
}
