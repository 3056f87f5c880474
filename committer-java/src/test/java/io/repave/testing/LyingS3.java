package io.repave.testing;

import io.repave.testing.StubS3.Answer;
import io.repave.testing.StubS3.Request;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Answers for a {@link StubS3}: those of a real server, but for one lie. */
public final class LyingS3 implements Function<Request, Answer> {
  /** What the server does wrong. */
  public enum Lie {
    NONE,
    REJECTS_IF_NONE_MATCH,
    IGNORES_IF_NONE_MATCH,
    REFUSES_EVERY_CREATE,
    REJECTS_IF_MATCH,
    IGNORES_IF_MATCH,
    FORGETS_IF_MATCH_AFTER_A_RACE,
    REFUSES_EVERY_SWAP,
    REJECTS_START_AFTER,
    IGNORES_START_AFTER,
    LISTS_IN_REVERSE,
    COMPLETES_ABORTED_UPLOADS,
    CONFUSES_ABORTED_UPLOADS,
    KEEPS_OBJECTS,
    DENIES_WRITES
  }

  private static final Set<String> OF_THE_CONNECTION =
      Set.of(
          "connection", "content-length", "date", "expect", "host", "transfer-encoding", "upgrade");
  private static final Pattern LISTED = Pattern.compile("(?s)<Contents>.*?</Contents>");
  private static final Pattern START_AFTER = Pattern.compile("&?start-after=[^&]*");
  private static final Pattern KEY = Pattern.compile("<Key>([^<]*)</Key>");
  private static final Answer NOT_IMPLEMENTED = Answer.error(501, "NotImplemented", "no");
  private static final Answer PRECONDITION_FAILED = Answer.error(412, "PreconditionFailed", "no");

  private final String endpoint;
  private final Lie lie;
  private final int racers;
  private final AtomicInteger swaps = new AtomicInteger();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** Before the server at {@code endpoint}; {@code racers} swaps are kept apart in a race. */
  public LyingS3(String endpoint, Lie lie, int racers) {
    this.endpoint = endpoint;
    this.lie = lie;
    this.racers = racers;
  }

  @Override
  public Answer apply(Request request) {
    boolean creates = request.header("If-None-Match") != null;
    boolean swaps = request.header("If-Match") != null;
    String query = request.uri().getRawQuery() == null ? "" : request.uri().getRawQuery();
    boolean listsAfter = query.contains("start-after=");
    return switch (lie) {
      case NONE -> forward(request);
      case REJECTS_IF_NONE_MATCH -> creates ? NOT_IMPLEMENTED : forward(request);
      case IGNORES_IF_NONE_MATCH -> forward(without(request, "if-none-match"));
      case REFUSES_EVERY_CREATE -> creates ? PRECONDITION_FAILED : forward(request);
      case REJECTS_IF_MATCH -> swaps ? NOT_IMPLEMENTED : forward(request);
      case IGNORES_IF_MATCH -> forward(without(request, "if-match"));
      case FORGETS_IF_MATCH_AFTER_A_RACE ->
          swaps && this.swaps.incrementAndGet() > racers
              ? forward(without(request, "if-match"))
              : forward(request);
      case REFUSES_EVERY_SWAP -> swaps ? PRECONDITION_FAILED : forward(request);
      case REJECTS_START_AFTER -> listsAfter ? NOT_IMPLEMENTED : forward(request);
      case IGNORES_START_AFTER ->
          forward(asking(request, START_AFTER.matcher(query).replaceAll("")));
      case LISTS_IN_REVERSE -> reversed(forward(request));
      case COMPLETES_ABORTED_UPLOADS -> completed(request, query, forward(request), 200);
      case CONFUSES_ABORTED_UPLOADS -> completed(request, query, forward(request), 500);
      case KEEPS_OBJECTS -> query.startsWith("delete") ? kept(request) : forward(request);
      case DENIES_WRITES ->
          request.method().equals("PUT")
              ? Answer.error(403, "AccessDenied", "no")
              : forward(request);
    };
  }

  private static Request without(Request request, String header) {
    Map<String, String> headers = new HashMap<>(request.headers());
    headers.remove(header);
    return new Request(request.method(), request.uri(), headers, request.body());
  }

  private static Request asking(Request request, String query) {
    String question = query.isEmpty() ? "" : "?" + query;
    URI asked = URI.create(request.uri().getRawPath() + question);
    return new Request(request.method(), asked, request.headers(), request.body());
  }

  private static Answer reversed(Answer answer) {
    List<String> listed =
        new ArrayList<>(LISTED.matcher(answer.body()).results().map(MatchResult::group).toList());
    Collections.reverse(listed);
    String body =
        LISTED
            .matcher(answer.body())
            .replaceAll(found -> Matcher.quoteReplacement(listed.remove(0)));
    return new Answer(answer.status(), answer.headers(), body);
  }

  private static Answer completed(Request request, String query, Answer answer, int status) {
    if (!request.method().equals("POST")
        || !query.contains("uploadId=")
        || answer.status() != 404) {
      return answer;
    }
    return status == 500
        ? Answer.error(500, "InternalError", "no")
        : Answer.of(
            200,
            "<CompleteMultipartUploadResult><ETag>\"e\"</ETag></CompleteMultipartUploadResult>");
  }

  private static Answer kept(Request request) {
    StringBuilder body = new StringBuilder("<DeleteResult>");
    KEY.matcher(new String(request.body()))
        .results()
        .forEach(
            found ->
                body.append("<Error><Key>")
                    .append(found.group(1))
                    .append("</Key><Code>AccessDenied</Code><Message>no</Message></Error>"));
    return Answer.of(200, body.append("</DeleteResult>").toString());
  }

  private Answer forward(Request request) {
    HttpRequest.Builder sent =
        HttpRequest.newBuilder(URI.create(endpoint + request.uri()))
            .method(request.method(), BodyPublishers.ofByteArray(request.body()));
    request.headers().entrySet().stream()
        .filter(header -> !OF_THE_CONNECTION.contains(header.getKey()))
        .forEach(header -> sent.header(header.getKey(), header.getValue()));
    try {
      HttpResponse<String> answer = client.send(sent.build(), BodyHandlers.ofString());
      Map<String, String> headers = new HashMap<>();
      answer.headers().map().entrySet().stream()
          .filter(header -> !OF_THE_CONNECTION.contains(header.getKey()))
          .forEach(header -> headers.put(header.getKey(), header.getValue().get(0)));
      return new Answer(answer.statusCode(), headers, answer.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
