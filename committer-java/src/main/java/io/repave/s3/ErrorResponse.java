package io.repave.s3;

/** An error response of the store: the HTTP status, and S3's code ("" without a body). */
record ErrorResponse(int status, String code) {
  static final int TOO_MANY = 429;

  ErrorResponse {
    code = code == null ? "" : code;
  }

  /** True for a request that the store did not apply, and does not apply later. */
  boolean isTooMany() {
    return status == TOO_MANY;
  }
}
