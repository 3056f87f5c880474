package io.repave.core.snapshot;

import io.repave.core.ledger.ColumnBounds;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.SchemaList;
import io.repave.core.record.FileEntry;
import io.repave.core.snapshot.FileStream.Placed;
import io.repave.core.store.Scratch;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Sorted files in a temporary file outside the heap. */
final class SortedRun implements AutoCloseable {
  private static final long UNKNOWN = -1;

  private final Scratch.TempFile file;
  private final SchemaList schemas;

  private SortedRun(Scratch.TempFile file, SchemaList schemas) {
    this.file = file;
    this.schemas = schemas;
  }

  /** Writes all files of a stream. Their schemas stay in memory, each once. */
  static SortedRun of(Scratch scratch, FileStream files) throws IOException, InterruptedException {
    SortedRun run = new SortedRun(scratch.create(), new SchemaList());
    try {
      run.write(files);
      return run;
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      // The disk may be full.
      run.close();
      throw e;
    }
  }

  private void write(FileStream files) throws IOException, InterruptedException {
    try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(file.write()))) {
      String partition = null;
      for (Optional<Placed> next = files.next(); next.isPresent(); next = files.next()) {
        Placed placed = next.get();
        boolean same = placed.partition().equals(partition);
        partition = placed.partition();
        out.writeBoolean(same);
        if (!same) {
          writeText(out, partition);
        }
        writeText(out, placed.file().name());
        out.writeLong(placed.file().bytes());
        out.writeLong(placed.file().facts().rows().orElse(UNKNOWN));
        out.writeShort(schemas.place(placed.file().facts().schema()));
        writeColumns(out, placed.file().facts().columns());
        writeOptional(out, placed.file().facts().ordered());
      }
    }
  }

  /** A pass over the files. */
  FileStream files() throws IOException {
    DataInputStream in = new DataInputStream(new BufferedInputStream(file.read()));
    String[] partition = {""};
    return () -> {
      int same = in.read();
      if (same < 0) {
        in.close();
        return Optional.empty();
      }
      if (same == 0) {
        partition[0] = readText(in);
      }
      return Optional.of(new Placed(partition[0], readFile(in)));
    };
  }

  private FileEntry readFile(DataInputStream in) throws IOException {
    String name = readText(in);
    long bytes = in.readLong();
    long rows = in.readLong();
    int schema = in.readShort();
    FileFacts facts = rows == UNKNOWN ? FileFacts.NONE : FileFacts.ofRows(rows);
    if (schema != UNKNOWN) {
      facts = facts.withSchema(schemas.at(schema));
    }
    facts = facts.withColumns(readColumns(in)).withOrdered(readOptional(in));
    return new FileEntry(name, bytes, facts);
  }

  private static void writeColumns(DataOutputStream out, List<ColumnBounds> columns)
      throws IOException {
    out.writeByte(columns.size());
    for (ColumnBounds column : columns) {
      writeText(out, column.column());
      writeText(out, column.type());
      for (Optional<String> bound : List.of(column.low(), column.high())) {
        writeOptional(out, bound);
      }
      out.writeLong(column.nulls().orElse(UNKNOWN));
    }
  }

  private static List<ColumnBounds> readColumns(DataInputStream in) throws IOException {
    int size = in.readByte();
    if (size == 0) {
      return List.of();
    }
    List<ColumnBounds> columns = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      String name = readText(in);
      String type = readText(in);
      Optional<String> low = readOptional(in);
      Optional<String> high = readOptional(in);
      long nulls = in.readLong();
      OptionalLong known = nulls == UNKNOWN ? OptionalLong.empty() : OptionalLong.of(nulls);
      columns.add(new ColumnBounds(name, type, low, high, known));
    }
    return columns;
  }

  private static void writeOptional(DataOutputStream out, Optional<String> text)
      throws IOException {
    out.writeBoolean(text.isPresent());
    if (text.isPresent()) {
      writeText(out, text.get());
    }
  }

  private static Optional<String> readOptional(DataInputStream in) throws IOException {
    return in.readBoolean() ? Optional.of(readText(in)) : Optional.empty();
  }

  /** {@code DataOutputStream.writeUTF} is limited to 65,535 bytes. */
  private static void writeText(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static String readText(DataInputStream in) throws IOException {
    return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
