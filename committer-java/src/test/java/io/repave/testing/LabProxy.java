package io.repave.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;

/** The lab's proxy in front of a server. It injects faults and keeps a journal of requests. */
public final class LabProxy implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final LabProcess process;
  private final HttpClient client = HttpClient.newHttpClient();

  private LabProxy(LabProcess process) {
    this.process = process;
  }

  public static LabProxy before(EmbeddedS3 server) {
    return new LabProxy(LabProcess.start("repave_lab.proxy", "--upstream", server.endpoint()));
  }

  public String endpoint() {
    return process.announced("endpoint");
  }

  /** Replaces the faults in force; JSON as {@code repave_lab.proxy.faults} describes it. */
  public void faults(String json) throws IOException {
    send("faults", json);
  }

  /** Clears the faults and the journal. */
  public void reset() throws IOException {
    send("reset", "{}");
  }

  /** Clears the faults and the journal. Faults that are set later draw from this seed. */
  public void reset(long seed) throws IOException {
    send("reset", "{\"seed\": " + seed + "}");
  }

  /** How many requests each fault in force has hit, in their order. */
  public List<Long> hits() throws IOException {
    List<Long> hits = new ArrayList<>();
    JSON.readTree(send("status", null)).required("faults").forEach(it -> hits.add(hit(it)));
    return hits;
  }

  private static long hit(JsonNode fault) {
    return fault.required("hit").asLong();
  }

  /** A request of the journal: its operation, bucket, and key or a listing's prefix. */
  public record Sent(String operation, String bucket, String key) {}

  /** The requests since the last reset, in the order in which they ended. */
  public List<Sent> journal() throws IOException {
    List<Sent> sent = new ArrayList<>();
    for (String line : send("journal", null).lines().toList()) {
      JsonNode entry = JSON.readTree(line);
      sent.add(
          new Sent(
              entry.required("op").asText(),
              entry.required("bucket").asText(),
              entry.required("key").asText()));
    }
    return sent;
  }

  /** Their operations alone. */
  public List<String> operations() throws IOException {
    return journal().stream().map(Sent::operation).toList();
  }

  private String send(String control, String body) throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(process.announced("control") + control));
    if (body != null) {
      request.POST(HttpRequest.BodyPublishers.ofString(body));
    }
    try {
      HttpResponse<String> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new AssertionError("the proxy answered " + answer.statusCode() + answer.body());
      }
      return answer.body();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  @Override
  public void close() throws IOException {
    process.close();
  }
}
