package io.repave.testing;

import io.repave.testing.StubS3.Answer;
import io.repave.testing.StubS3.Request;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** As much of S3 as a probe asks for, with a choice of how it takes conditions. */
public final class TinyS3 implements Function<Request, Answer> {
  public enum Conditions {
    KEPT,
    IGNORED,
    NOT_IMPLEMENTED,
    /** Looked at first and written after, as by a gateway over a file system. */
    CHECKED_BEFORE_THE_WRITE
  }

  private final Conditions conditions;
  private final Map<String, Request> objects = new ConcurrentHashMap<>();

  public TinyS3(Conditions conditions) {
    this.conditions = conditions;
  }

  @Override
  public Answer apply(Request request) {
    String key = request.uri().getPath();
    return switch (request.method()) {
      case "PUT" -> put(key, request);
      case "GET", "HEAD" ->
          objects.containsKey(key)
              ? objects.get(key).stored()
              : Answer.error(404, "NoSuchKey", "not here");
      case "DELETE" -> new Answer(204, Map.of(), "");
      default -> post(request);
    };
  }

  private Answer post(Request request) {
    String query = request.uri().getQuery();
    if (query.startsWith("uploads")) {
      return Answer.of(
          200,
          "<InitiateMultipartUploadResult><UploadId>id</UploadId></InitiateMultipartUploadResult>");
    }
    if (query.startsWith("delete")) {
      objects.clear();
      return Answer.of(200, "<DeleteResult><Deleted><Key>k</Key></Deleted></DeleteResult>");
    }
    return Answer.error(404, "NoSuchUpload", "gone");
  }

  private Answer put(String key, Request request) {
    boolean isConditional =
        request.header("If-None-Match") != null || request.header("If-Match") != null;
    if (!isConditional || conditions == Conditions.IGNORED) {
      return write(key, request);
    }
    return switch (conditions) {
      case NOT_IMPLEMENTED ->
          Answer.error(501, "NotImplemented", "a header implies what is not implemented");
      case KEPT -> {
        synchronized (this) {
          yield writeIf(key, request);
        }
      }
      default -> writeIf(key, request);
    };
  }

  private Answer writeIf(String key, Request request) {
    Request current = objects.get(key);
    String match = request.header("If-Match");
    boolean holds =
        match == null
            ? current == null
            : current != null && match.equals("\"" + current.tag() + "\"");
    if (conditions == Conditions.CHECKED_BEFORE_THE_WRITE) {
      pause();
    }
    return holds ? write(key, request) : Answer.error(412, "PreconditionFailed", "no");
  }

  private Answer write(String key, Request request) {
    objects.put(key, request);
    return Answer.tagged(request.tag());
  }

  private static void pause() {
    try {
      Thread.sleep(300);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
