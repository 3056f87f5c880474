package io.repave.s3;

import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import java.util.Optional;
import java.util.Set;

/** Reads out of an exception what the port says about a failed call. */
final class Failure {
  private static final int DEEPEST = 16;

  /** 4xx that blame the way here, not the request: the same one may succeed, or have done so. */
  private static final Set<Integer> PASSING_STATUSES = Set.of(408, 425, 429);

  private static final Set<String> PASSING_CODES =
      Set.of("RequestTimeout", "SlowDown", "Throttling", "ThrottlingException", "TooManyRequests");

  private Failure() {}

  /**
   * The store's own answer, looked for along the causes: S3A and Hadoop wrap what the SDK threw.
   */
  static Optional<ErrorAnswer> answer(Bucket bucket, Throwable failure) {
    Throwable at = failure;
    for (int depth = 0; at != null && depth < DEEPEST; depth++) {
      Optional<ErrorAnswer> answer = bucket.answer(at);
      if (answer.isPresent()) {
        return answer;
      }
      at = at.getCause();
    }
    return Optional.empty();
  }

  /**
   * What is known of the effect. Only an answer of the store itself can make it more than unknown.
   */
  static Kind kind(ErrorAnswer answer) {
    int status = answer.status();
    if (PASSING_STATUSES.contains(status) || PASSING_CODES.contains(answer.code())) {
      return Kind.UNKNOWN;
    }
    return switch (status) {
      case 409, 412 -> Kind.REFUSED;
      case 401, 403 -> Kind.DENIED;
      case 404 -> isAbsence(answer.code()) ? Kind.ABSENT : Kind.INVALID;
      // Another region's bucket, and a header that the store does not implement: both refuse the
      // request before it has an effect, and both answer the next one alike.
      case 301, 501 -> Kind.INVALID;
      default -> status >= 400 && status < 500 ? Kind.INVALID : Kind.UNKNOWN;
    };
  }

  private static boolean isAbsence(String code) {
    return "NoSuchUpload".equals(code) || "NoSuchBucket".equals(code);
  }

  static StoreException of(Kind kind, String call, ErrorAnswer answer, Throwable failure) {
    String code = answer.code().isEmpty() ? "" : " " + Redaction.of(answer.code());
    return new StoreException(
        kind,
        call + " answered " + answer.status() + code + ": " + Redaction.of(failure.getMessage()),
        RedactedCause.of(failure));
  }

  static StoreException unanswered(String call, Throwable failure) {
    return new StoreException(
        Kind.UNKNOWN,
        call
            + " got no usable answer, so it may have had its effect or not: "
            + Redaction.of(failure.getMessage()),
        RedactedCause.of(failure));
  }

  /** A failure before anything was sent: nothing happened, and trying again does not help. */
  static StoreException unsent(String call, Exception failure) {
    return new StoreException(
        failure instanceof NoCredentials ? Kind.DENIED : Kind.INVALID,
        call + " could not be sent: " + Redaction.of(failure.getMessage()),
        RedactedCause.of(failure));
  }
}
