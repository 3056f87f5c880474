package io.repave.s3;

/** An error as the store answered it: the HTTP status, and S3's code ("" without a body). */
record ErrorAnswer(int status, String code) {
  ErrorAnswer {
    code = code == null ? "" : code;
  }
}
