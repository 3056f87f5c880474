package io.repave.hadoop.parquet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.repave.core.store.RowFileFormat.RowFile;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;

/** A Parquet file that is written into memory. */
final class ParquetRows implements RowFile {
  /** What the writer may hold besides the file. */
  private static final long ROW_GROUP_BYTES = 16 << 20;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final MemoryFile file;
  private final ParquetWriter<JsonNode> writer;

  private ParquetRows(MemoryFile file, ParquetWriter<JsonNode> writer) {
    this.file = file;
    this.writer = writer;
  }

  static ParquetRows begin(String schema, int bytesMax) throws IOException {
    MemoryFile file = new MemoryFile(bytesMax);
    // Gzip comes with Java; other codecs need native libraries.
    ParquetWriter<JsonNode> writer =
        new Builder(file, MessageTypeParser.parseMessageType(schema))
            .withConf(new Configuration(false))
            .withCompressionCodec(CompressionCodecName.GZIP)
            .withRowGroupSize(ROW_GROUP_BYTES)
            .build();
    return new ParquetRows(file, writer);
  }

  @Override
  public void add(byte[] json) throws IOException {
    ParquetLibrary.checked(
        () -> {
          writer.write(JSON.readTree(json));
          return json;
        });
  }

  @Override
  public byte[] end() throws IOException {
    return ParquetLibrary.checked(
        () -> {
          writer.close();
          return file.content();
        });
  }

  @Override
  public void close() {
    try {
      ParquetLibrary.checked(
          () -> {
            writer.close();
            return file;
          });
    } catch (IOException unfinished) {
      // Nobody uses a file that was not ended.
    }
  }

  private static final class Builder extends ParquetWriter.Builder<JsonNode, Builder> {
    private final MessageType schema;

    Builder(MemoryFile file, MessageType schema) {
      super(file);
      this.schema = schema;
    }

    @Override
    protected Builder self() {
      return this;
    }

    @Override
    @SuppressWarnings("deprecation") // the only one that every release has
    protected WriteSupport<JsonNode> getWriteSupport(Configuration conf) {
      return new JsonRows(schema);
    }
  }
}
