package io.repave.s3;

import java.io.IOException;

/** Nothing can sign a request, so none was sent. */
final class NoCredentials extends IOException {
  private static final long serialVersionUID = 1L;

  NoCredentials(Object files, RuntimeException cause) {
    super(
        "S3A finds no credentials for "
            + files
            + ". Name them by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, by AWS_PROFILE or by"
            + " fs.s3a.aws.credentials.provider. Its providers said: "
            + Redaction.of(cause.getMessage()),
        cause);
  }
}
