package io.repave.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/** An HTTP server that answers as the test says and records the requests. */
public final class StubS3 implements AutoCloseable {
  static {
    // Otherwise each answer waits 40 ms for the acknowledgement of its head.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  /** A request as it came over the wire; header names in lower case. */
  public record Request(String method, URI uri, Map<String, String> headers, byte[] body) {
    public String header(String name) {
      return headers.get(name.toLowerCase(Locale.ROOT));
    }

    /** The tag of the content, as S3 makes it: SDK 1 compares it with what it sent. */
    public String tag() {
      try {
        return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(content()));
      } catch (NoSuchAlgorithmException e) {
        throw new AssertionError(e);
      }
    }

    /** The content of a write of plain text, with the tag that it has since. */
    public Answer stored() {
      String text = new String(content(), StandardCharsets.US_ASCII);
      return new Answer(200, Map.of("ETag", "\"" + tag() + "\""), text);
    }

    /** The body without the framing of a signature for each chunk. */
    private byte[] content() {
      String signed = header("x-amz-content-sha256");
      if (signed == null || !signed.startsWith("STREAMING-")) {
        return body;
      }
      String framed = new String(body, StandardCharsets.ISO_8859_1);
      StringBuilder content = new StringBuilder();
      int at = 0;
      while (true) {
        int line = framed.indexOf("\r\n", at);
        int bytes = Integer.parseInt(framed.substring(at, line).split(";", 2)[0], 16);
        if (bytes == 0) {
          return content.toString().getBytes(StandardCharsets.ISO_8859_1);
        }
        content.append(framed, line + 2, line + 2 + bytes);
        at = line + 2 + bytes + 2;
      }
    }
  }

  /** What to answer. */
  public record Answer(int status, Map<String, String> headers, String body) {
    public static Answer of(int status, String body) {
      return new Answer(status, Map.of(), body);
    }

    /** S3's error document. */
    public static Answer error(int status, String code, String message) {
      return of(
          status,
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>"
              + code
              + "</Code><Message>"
              + message
              + "</Message><RequestId>R1</RequestId></Error>");
    }

    /** A success with a tag and nothing else. */
    public static Answer tagged(String etag) {
      return new Answer(200, Map.of("ETag", "\"" + etag + "\""), "");
    }
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private volatile Function<Request, Answer> answers;

  public StubS3(Function<Request, Answer> answers) throws IOException {
    this.answers = answers;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::serve);
    server.start();
  }

  private void serve(HttpExchange exchange) throws IOException {
    Map<String, String> headers = new HashMap<>();
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.get(0)));
    Request request =
        new Request(
            exchange.getRequestMethod(),
            exchange.getRequestURI(),
            headers,
            exchange.getRequestBody().readAllBytes());
    requests.add(request);
    Answer answer = answers.apply(request);
    byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
    answer.headers().forEach(exchange.getResponseHeaders()::set);
    boolean isHead = request.method().equals("HEAD");
    if (isHead) {
      exchange.getResponseHeaders().set("Content-Length", Integer.toString(body.length));
    }
    exchange.sendResponseHeaders(answer.status(), isHead || body.length == 0 ? -1 : body.length);
    if (!isHead && body.length > 0) {
      exchange.getResponseBody().write(body);
    }
    exchange.close();
  }

  public void answer(Function<Request, Answer> other) {
    answers = other;
  }

  public List<Request> requests() {
    return requests;
  }

  /** What a user would configure for s3a to reach this server, without retries of the SDK. */
  public Configuration configuration() {
    Configuration conf = new Configuration();
    conf.set("fs.s3a.endpoint", "http://127.0.0.1:" + server.getAddress().getPort());
    conf.set("fs.s3a.endpoint.region", "us-east-1");
    conf.set("fs.s3a.path.style.access", "true");
    conf.set("fs.s3a.access.key", "stub-access");
    conf.set("fs.s3a.secret.key", "stub-secret");
    conf.set("fs.s3a.connection.ssl.enabled", "false");
    conf.set("fs.s3a.bucket.probe", "0");
    conf.setInt("fs.s3a.attempts.maximum", 0);
    return conf;
  }

  /** A file system of its own, outside Hadoop's cache: the caller closes it. */
  public FileSystem files(String bucket, Configuration conf) throws IOException {
    return FileSystem.newInstance(URI.create("s3a://" + bucket + "/"), conf);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
