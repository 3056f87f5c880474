package io.repave.s3;

import io.repave.core.store.StoreException.Kind;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.fs.s3a.CredentialInitializationException;
import org.apache.hadoop.fs.s3a.audit.AuditFailureException;

/** Maps an exception of the SDK to what is known of the request's effect. */
final class S3ErrorMapper {
  private static final int DEEPEST = 16;

  private S3ErrorMapper() {}

  /**
   * The error response of the store, searched along the causes: S3A and Hadoop wrap exceptions of
   * the SDK.
   */
  static Optional<ErrorResponse> errorOf(Bucket bucket, Throwable failure) {
    return chain(failure).map(bucket::errorOf).flatMap(Optional::stream).findFirst();
  }

  /** What the credentials and the connections of a closed file system say. */
  static boolean isShutDown(Throwable failure) {
    return chain(failure)
        .anyMatch(
            at -> {
              String message = String.valueOf(at.getMessage());
              return message.contains("provider list was closed")
                  || at instanceof IllegalStateException && message.contains("shut down");
            });
  }

  /**
   * True if S3A got no credentials. The service that it asked for them, such as STS, may say no.
   */
  static boolean isWithoutCredentials(Bucket bucket, Throwable failure) {
    return chain(failure)
        .anyMatch(
            at -> at instanceof CredentialInitializationException || bucket.isFromOtherService(at));
  }

  /** True for a request that S3A's auditor refused, which it does before the SDK sends it. */
  static boolean isRefusedByAuditor(Throwable failure) {
    return chain(failure).anyMatch(AuditFailureException.class::isInstance);
  }

  /**
   * True for an upload that the auditor refuses because multipart uploads are off. It refuses other
   * requests with other exceptions. Hadoop has this class since 3.4.
   */
  static boolean isForbiddenUpload(Throwable failure) {
    return chain(failure)
        .anyMatch(at -> at.getClass().getSimpleName().equals("AuditOperationRejectedException"));
  }

  /** A failure and its causes, of which a hostile one could have a circle. */
  private static Stream<Throwable> chain(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).limit(DEEPEST);
  }

  /** What is known of the effect. Without an error response of the store it is unknown. */
  static Kind kind(ErrorResponse error) {
    int status = error.status();
    if (TemporaryErrors.include(error)) {
      return Kind.UNKNOWN;
    }
    return switch (status) {
      case 412 -> Kind.REFUSED;
      // Another request is changing the object or its upload. The next try may succeed.
      case 409 -> Kind.UNKNOWN;
      // Nobody can read an archived object, with any permission, until it is restored.
      case 403 -> "InvalidObjectState".equals(error.code()) ? Kind.INVALID : Kind.DENIED;
      case 401 -> Kind.DENIED;
      case 404 -> isAbsence(error.code()) ? Kind.ABSENT : Kind.INVALID;
      // A bucket in another region, or a header that the store does not implement. The store
      // refuses such a request before it has an effect, and refuses the next one as well.
      case 301, 501 -> Kind.INVALID;
      default -> status >= 400 && status < 500 ? Kind.INVALID : Kind.UNKNOWN;
    };
  }

  /** The same for a request with a condition, which a concurrent request decides. */
  static Kind kindOnCondition(ErrorResponse error) {
    return error.status() == 409 ? Kind.REFUSED : kind(error);
  }

  /** The same for a swap. An absent object does not match. */
  static Kind kindOfSwap(ErrorResponse error) {
    return error.status() == 404 && "NoSuchKey".equals(error.code())
        ? Kind.REFUSED
        : kindOnCondition(error);
  }

  private static boolean isAbsence(String code) {
    return "NoSuchUpload".equals(code) || "NoSuchBucket".equals(code);
  }
}
