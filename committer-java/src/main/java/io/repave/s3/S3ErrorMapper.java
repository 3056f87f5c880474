package io.repave.s3;

import io.repave.core.store.StoreException.Kind;
import java.util.Optional;
import java.util.Set;

/** Maps an exception of the SDK to what is known of the request's effect. */
final class S3ErrorMapper {
  static final int DEEPEST = 16;

  /** Temporary 4xx errors: the same request may succeed later, or may have succeeded. */
  private static final Set<Integer> TEMPORARY_STATUSES = Set.of(408, 425, 429);

  private static final Set<String> TEMPORARY_CODES =
      Set.of("RequestTimeout", "SlowDown", "Throttling", "ThrottlingException", "TooManyRequests");

  private S3ErrorMapper() {}

  /**
   * The error response of the store, searched along the causes: S3A and Hadoop wrap exceptions of
   * the SDK.
   */
  static Optional<ErrorResponse> errorOf(Bucket bucket, Throwable failure) {
    Throwable at = failure;
    for (int depth = 0; at != null && depth < DEEPEST; depth++) {
      Optional<ErrorResponse> error = bucket.errorOf(at);
      if (error.isPresent()) {
        return error;
      }
      at = at.getCause();
    }
    return Optional.empty();
  }

  /** What is known of the effect. Without an error response of the store it is unknown. */
  static Kind kind(ErrorResponse error) {
    int status = error.status();
    if (TEMPORARY_STATUSES.contains(status) || TEMPORARY_CODES.contains(error.code())) {
      return Kind.UNKNOWN;
    }
    return switch (status) {
      case 409, 412 -> Kind.REFUSED;
      case 401, 403 -> Kind.DENIED;
      case 404 -> isAbsence(error.code()) ? Kind.ABSENT : Kind.INVALID;
      // A bucket in another region, or a header that the store does not implement. The store
      // refuses
      // such a request before it has an effect, and refuses the next one as well.
      case 301, 501 -> Kind.INVALID;
      default -> status >= 400 && status < 500 ? Kind.INVALID : Kind.UNKNOWN;
    };
  }

  private static boolean isAbsence(String code) {
    return "NoSuchUpload".equals(code) || "NoSuchBucket".equals(code);
  }
}
