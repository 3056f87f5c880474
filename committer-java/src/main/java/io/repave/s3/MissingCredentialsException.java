package io.repave.s3;

import java.io.IOException;

/** No request can be signed, so none was sent. */
final class MissingCredentialsException extends IOException {
  private static final long serialVersionUID = 1L;

  MissingCredentialsException(Object files, RuntimeException cause) {
    super(
        "S3A finds no credentials for "
            + files
            + ". Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or"
            + " fs.s3a.aws.credentials.provider. Its providers reported: "
            + Redaction.of(cause.getMessage()),
        cause);
  }
}
