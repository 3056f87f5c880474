package io.repave.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The folder {@code contract}: schemas, table states and errors that Java and Python share. */
final class Contract {
  static final Path ROOT = Path.of(System.getProperty("repave.basedir", "."), "..", "contract");
  static final Path TABLES = ROOT.resolve("tables");

  /** {@code -Drepave.contract.write=true} writes the table states and documents anew. */
  static final boolean WRITE = Boolean.getBoolean("repave.contract.write");

  static final ObjectMapper JSON = new ObjectMapper();

  private Contract() {}

  /** The names of all table states. */
  static List<String> states() throws IOException {
    return names(TABLES);
  }

  /** The names in a folder, in order. */
  static List<String> names(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    }
  }

  static JsonNode read(Path file) throws IOException {
    return JSON.readTree(Files.readAllBytes(file));
  }
}
