package io.repave.s3;

import io.repave.core.store.Content;
import java.util.Optional;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;

/**
 * Whether the data files of one bucket are sent with a checksum. To compute it takes as long as to
 * sign and send the bytes, and TLS or the signature protects them on their way. So data files have
 * none until a bucket refuses one: Object Lock requires it. Records always have one.
 *
 * <p>A server may also refuse by breaking the connection, before it has read the content. So files
 * have a checksum as well after a request without a response.
 */
final class DataChecksums {
  /** S3A's setting. Any algorithm here asks for a checksum. */
  private static final String ALGORITHM = "fs.s3a.create.checksum.algorithm";

  private static final int BAD_REQUEST = 400;

  private volatile boolean needed;

  private DataChecksums(boolean needed) {
    this.needed = needed;
  }

  static DataChecksums of(Configuration conf) {
    return new DataChecksums(!conf.getTrimmed(ALGORITHM, "").isEmpty());
  }

  /** Sends content with this MD5, or without. */
  @FunctionalInterface
  interface Write {
    String with(Optional<String> md5);
  }

  /**
   * Writes to a key that only this task writes, so that the same request may be sent again. {@code
   * errors} finds the error response of a failure.
   */
  String send(Content content, Function<Throwable, Optional<ErrorResponse>> errors, Write write) {
    if (!needed) {
      try {
        return write.with(Optional.empty());
      } catch (RuntimeException e) {
        Optional<ErrorResponse> error = errors.apply(e);
        boolean isRefused = error.isPresent() && error.get().status() == BAD_REQUEST;
        needed = needed || error.isEmpty() || isRefused;
        if (!isRefused) {
          throw e;
        }
      }
    }
    return write.with(ContentMd5.of(content));
  }
}
