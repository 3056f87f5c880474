package io.repave.s3;

/** An error response of the store: the HTTP status, and S3's code ("" without a body). */
record ErrorResponse(int status, String code) {
  ErrorResponse {
    code = code == null ? "" : code;
  }
}
