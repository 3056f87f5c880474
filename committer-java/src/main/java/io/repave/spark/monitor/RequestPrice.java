package io.repave.spark.monitor;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.engine.CountedStore.Request;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Labels;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * What a request costs: dollars for 1,000, of S3 Standard in us-east-1. Python's {@code
 * prices.json} is written from this table.
 */
public enum RequestPrice {
  WRITES(
      "0.005",
      Request.PUT,
      Request.LIST,
      Request.CREATE,
      Request.PART,
      Request.COMPLETE,
      Request.LIST_UPLOADS),
  READS("0.0004", Request.GET, Request.HEAD),
  FREE("0", Request.ABORT, Request.DELETE);

  private final BigDecimal dollarsForThousand;
  private final List<Request> kinds;

  RequestPrice(String dollarsForThousand, Request... kinds) {
    this.dollarsForThousand = new BigDecimal(dollarsForThousand);
    this.kinds = List.of(kinds);
  }

  /** The dollars of this many requests. */
  public double dollars(long requests) {
    return dollarsForThousand.doubleValue() * requests / 1_000;
  }

  /** The dollars of counted requests. */
  public static double dollars(Map<Request, Long> counts) {
    return Arrays.stream(values())
        .mapToDouble(
            price ->
                price.dollars(
                    price.kinds.stream().mapToLong(kind -> counts.getOrDefault(kind, 0L)).sum()))
        .sum();
  }

  /** Prints the table, and what surrounds a job, as JSON, for {@code scripts/generate.py}. */
  public static void main(String[] arguments) {
    ObjectNode all = JsonNodeFactory.instance.objectNode();
    for (RequestPrice price : values()) {
      ObjectNode one = all.putObject(Labels.of(price));
      one.put("dollars-for-1000", price.dollarsForThousand);
      price.kinds.forEach(kind -> one.withArray("kinds").add(Labels.of(kind)));
    }
    ObjectNode surrounding = all.putObject("surrounding");
    for (CommitKind kind : CommitKind.values()) {
      ObjectNode one = surrounding.putObject(Labels.of(kind));
      SurroundingRequests.of(kind).forEach((request, count) -> one.put(Labels.of(request), count));
    }
    System.out.println(all.toPrettyString());
  }
}
