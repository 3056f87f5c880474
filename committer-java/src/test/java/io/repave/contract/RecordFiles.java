package io.repave.contract;

import io.repave.core.record.SampleRecords;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The records of one table as files: path below the table's folder, and content. */
final class RecordFiles {
  private static final String RECORDS = "_repave";

  private RecordFiles() {}

  static SortedMap<String, byte[]> read(String state) throws IOException {
    Path table = Contract.TABLES.resolve(state);
    SortedMap<String, byte[]> records = new TreeMap<>();
    if (Files.exists(table.resolve(RECORDS))) {
      try (Stream<Path> tree = Files.walk(table.resolve(RECORDS))) {
        for (Path file : tree.filter(Files::isRegularFile).toList()) {
          records.put(table.relativize(file).toString(), Files.readAllBytes(file));
        }
      }
    }
    return records;
  }

  /** Replaces the records of a state; leaves the file of a record whose text is the same. */
  static void write(String state, Map<String, byte[]> records) throws IOException {
    Path table = Files.createDirectories(Contract.TABLES.resolve(state));
    SortedMap<String, byte[]> there = read(state);
    if (Files.exists(table.resolve(RECORDS))) {
      try (Stream<Path> tree = Files.walk(table.resolve(RECORDS))) {
        for (Path file : tree.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
    for (Map.Entry<String, byte[]> record : records.entrySet()) {
      Path file = table.resolve(record.getKey());
      Files.createDirectories(file.getParent());
      byte[] old = there.get(record.getKey());
      boolean same = old != null && text(old).equals(text(record.getValue()));
      Files.write(file, same ? old : record.getValue());
    }
  }

  /** The text of a record: how gzip packs it may differ from one JDK to the next. */
  static String text(byte[] content) {
    try {
      return new String(SampleRecords.unpacked(content), StandardCharsets.ISO_8859_1);
    } catch (IOException damaged) {
      return new String(content, StandardCharsets.ISO_8859_1);
    }
  }

  static SortedMap<String, String> texts(Map<String, byte[]> records) {
    SortedMap<String, String> texts = new TreeMap<>();
    records.forEach((path, content) -> texts.put(path, text(content)));
    return texts;
  }
}
