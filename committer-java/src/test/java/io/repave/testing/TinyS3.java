package io.repave.testing;

import io.repave.core.store.Utf8Order;
import io.repave.testing.StubS3.Answer;
import io.repave.testing.StubS3.Request;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Pattern;

/** The part of S3 that a probe needs, with a choice of how it treats conditions. */
public final class TinyS3 implements Function<Request, Answer> {
  public enum Conditions {
    KEPT,
    IGNORED,
    NOT_IMPLEMENTED,
    /** Checked first and written afterwards, as in a gateway over a file system. */
    CHECKED_BEFORE_THE_WRITE
  }

  /** How it lists keys. */
  public enum Listings {
    IN_ORDER,
    /** As by a directory bucket. */
    REVERSED,
    WITHOUT_START_AFTER
  }

  /** What becomes of keys below an object, as of {@code a/b} where {@code a} is an object. */
  public enum KeysBelowObjects {
    KEPT,
    /** Stored and not listed, as by MinIO. */
    HIDDEN,
    /** As by MinIO until 2022. */
    REFUSED
  }

  private static final Pattern KEY = Pattern.compile("<Key>([^<]*)</Key>");

  private final Conditions conditions;
  private final Listings listings;
  private final KeysBelowObjects below;
  private final Map<String, Request> objects = new ConcurrentHashMap<>();

  public TinyS3(Conditions conditions) {
    this(conditions, Listings.IN_ORDER);
  }

  public TinyS3(Conditions conditions, Listings listings) {
    this(conditions, listings, KeysBelowObjects.KEPT);
  }

  public TinyS3(Conditions conditions, KeysBelowObjects below) {
    this(conditions, Listings.IN_ORDER, below);
  }

  private TinyS3(Conditions conditions, Listings listings, KeysBelowObjects below) {
    this.conditions = conditions;
    this.listings = listings;
    this.below = below;
  }

  @Override
  public Answer apply(Request request) {
    String key = request.uri().getPath();
    return switch (request.method()) {
      case "PUT" -> put(key, request);
      case "GET", "HEAD" ->
          parameter(request, "list-type").isPresent()
              ? list(request)
              : objects.containsKey(key)
                  ? objects.get(key).stored()
                  : Answer.error(404, "NoSuchKey", "not here");
      case "DELETE" -> new Answer(204, Map.of(), "");
      default -> post(request);
    };
  }

  private Answer list(Request request) {
    String after = parameter(request, "start-after").orElse("");
    if (!after.isEmpty() && listings == Listings.WITHOUT_START_AFTER) {
      return Answer.error(501, "NotImplemented", "start-after is not supported");
    }
    String bucket = bucket(request);
    String prefix = parameter(request, "prefix").orElse("");
    List<String> keys = new ArrayList<>();
    for (String path : objects.keySet()) {
      String key = path.substring(bucket.length());
      if (below == KeysBelowObjects.HIDDEN && isBelowObject(path)) {
        continue;
      }
      if (key.startsWith(prefix) && Utf8Order.compare(key, after) > 0) {
        keys.add(key);
      }
    }
    keys.sort(Utf8Order.KEYS);
    if (listings == Listings.REVERSED) {
      Collections.reverse(keys);
    }
    StringBuilder body = new StringBuilder("<ListBucketResult><Name>lake</Name>");
    for (String key : keys) {
      body.append("<Contents><Key>")
          .append(key)
          .append("</Key><Size>1</Size><ETag>\"e\"</ETag></Contents>");
    }
    return Answer.of(200, body.append("</ListBucketResult>").toString());
  }

  private boolean isBelowObject(String path) {
    return objects.keySet().stream().anyMatch(object -> path.startsWith(object + "/"));
  }

  private static String bucket(Request request) {
    String path = request.uri().getPath();
    return path.endsWith("/") ? path : path + "/";
  }

  private static Optional<String> parameter(Request request, String name) {
    String query = Optional.ofNullable(request.uri().getRawQuery()).orElse("");
    return Arrays.stream(query.split("&"))
        .filter(each -> each.startsWith(name + "="))
        .map(each -> URLDecoder.decode(each.substring(name.length() + 1), StandardCharsets.UTF_8))
        .findFirst();
  }

  private Answer post(Request request) {
    String query = request.uri().getQuery();
    if (query.startsWith("uploads")) {
      return Answer.of(
          200,
          "<InitiateMultipartUploadResult><UploadId>id</UploadId></InitiateMultipartUploadResult>");
    }
    if (query.startsWith("delete")) {
      return delete(request);
    }
    return Answer.error(404, "NoSuchUpload", "gone");
  }

  private Answer delete(Request request) {
    StringBuilder deleted = new StringBuilder("<DeleteResult>");
    KEY.matcher(new String(request.body(), StandardCharsets.UTF_8))
        .results()
        .map(found -> found.group(1))
        .forEach(
            key -> {
              objects.remove(bucket(request) + key);
              deleted.append("<Deleted><Key>").append(key).append("</Key></Deleted>");
            });
    return Answer.of(200, deleted.append("</DeleteResult>").toString());
  }

  private Answer put(String key, Request request) {
    if (below == KeysBelowObjects.REFUSED && isBelowObject(key)) {
      return Answer.error(400, "XMinioParentIsObject", "its parent is an object");
    }
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
