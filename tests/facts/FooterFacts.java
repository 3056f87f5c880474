import io.repave.core.ledger.ColumnBounds;
import io.repave.core.ledger.FactsReader;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Schema;
import io.repave.hadoop.footer.FileOrder;
import io.repave.hadoop.footer.ParquetFooter;
import io.repave.hadoop.footer.StatsColumns;
import io.repave.hadoop.footer.WantedFacts;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Prints the facts of each file whose path comes in, as a line of JSON. */
final class FooterFacts {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** A whole file in memory. */
  private record Whole(byte[] content) implements FactsReader.FileEnd {
    @Override
    public long bytes() {
      return content.length;
    }

    @Override
    public Optional<byte[]> read(long fromEnd, int length) {
      int from = content.length - (int) fromEnd;
      return Optional.of(Arrays.copyOfRange(content, from, from + length));
    }
  }

  public static void main(String[] columns) throws IOException {
    StatsColumns stats = new StatsColumns(List.of(columns));
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String path = in.readLine(); path != null; path = in.readLine()) {
      Whole file = new Whole(Files.readAllBytes(Path.of(path)));
      WantedFacts wanted = WantedFacts.of(stats, FileOrder.NONE);
      System.out.println(shown(ParquetFooter.content(file, wanted).facts()));
      System.out.flush();
    }
  }

  private static ObjectNode shown(FileFacts facts) {
    ObjectNode json = JSON.objectNode();
    facts.rows().ifPresent(rows -> json.put("rows", rows));
    facts.schema().map(Schema::json).ifPresent(schema -> json.put("schema", schema));
    ArrayNode all = json.putArray("columns");
    for (ColumnBounds column : facts.columns()) {
      ObjectNode each = all.addObject().put("name", column.column()).put("type", column.type());
      column.low().ifPresent(low -> each.put("low", low));
      column.high().ifPresent(high -> each.put("high", high));
      column.nulls().ifPresent(nulls -> each.put("nulls", nulls));
    }
    return json;
  }
}
