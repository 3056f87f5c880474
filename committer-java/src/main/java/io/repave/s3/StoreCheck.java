package io.repave.s3;

import io.repave.core.record.Labels;

/**
 * The checks that a store must pass. {@link CapabilityProbe} and {@code repave doctor} run the same
 * list: {@code scripts/generate.py} writes it to {@code python/repave/store-checks.json}. {@code
 * StoreChecksHttpTest} checks that they agree.
 */
public enum StoreCheck {
  GENERAL_PURPOSE_BUCKET(
      Need.EVERY_WRITER,
      "none",
      "the bucket's name does not end in --x-s3",
      "This is a directory bucket (S3 Express One Zone), which does not list keys in order. Use a"
          + " general purpose bucket."),
  CREATE_SUPPORTED(
      Need.MANY_WRITERS,
      "PUT If-None-Match: * of an absent key, 4 at the same time",
      "none is answered with 301, 501 or a 4xx that blames the request",
      "The store does not support writes that only create an object (If-None-Match)."),
  CREATE_RACE(
      Need.MANY_WRITERS,
      "the same",
      "at most one succeeds",
      "The store let several writers create the same object with If-None-Match; only one may"
          + " succeed."),
  CREATE_ABSENT(
      Need.MANY_WRITERS,
      "the same; GET when all are refused",
      "the object exists",
      "The store refuses to create an object that does not exist."),
  SWAP_SUPPORTED(
      Need.MANY_WRITERS,
      "PUT If-Match: the object's ETag, 4 at the same time",
      "none is answered with 301, 501 or a 4xx that blames the request",
      "The store does not support writes that only replace the version they read (If-Match)."),
  SWAP_RACE(
      Need.MANY_WRITERS,
      "the same",
      "at most one succeeds",
      "The store let several writers replace the same version of an object with If-Match; only"
          + " one may succeed."),
  SWAP_LATE(
      Need.MANY_WRITERS,
      "PUT If-Match: the same ETag, once more",
      "it is refused (409 or 412)",
      "The store let a writer replace an object that had changed since it was read."),
  SWAP_CURRENT(
      Need.MANY_WRITERS,
      "the same; GET when all are refused",
      "the object has changed",
      "The store refuses to replace an object by its own ETag."),
  LIST_SUPPORTED(
      Need.EVERY_WRITER,
      "PUT of six keys, LIST start-after the second",
      "it is not answered with 301, 501 or a 4xx that blames the request",
      "The store does not list keys after a given key (start-after)."),
  LIST_ORDER(
      Need.EVERY_WRITER,
      "the same",
      "the other four keys, in UTF-8 order",
      "The store does not list keys in UTF-8 order after a given key."),
  ABORTED_UPLOAD_FAILS(
      Need.NONE,
      "CompleteMultipartUpload of an upload that was aborted",
      "it is not told to have succeeded",
      "The store reports success for an upload that had been aborted."),
  ABORTED_UPLOAD_TOLD(
      Need.NONE,
      "the same",
      "404 NoSuchUpload",
      "The store does not report that an upload was aborted. Repave then looks for the object, at"
          + " the cost of one request."),
  DELETE(
      Need.NONE,
      "DeleteObjects of the probe's keys",
      "no key is refused",
      "The store did not delete what the probe wrote.");

  /** Who cannot begin a table on a store that fails a check. */
  public enum Need {
    /** Two jobs could destroy each other's records; a single writer needs no conditional writes. */
    MANY_WRITERS,
    /** An overwrite could miss old files. */
    EVERY_WRITER,
    /** No writer: a failure costs requests or leaves small objects. */
    NONE
  }

  private final Need need;
  private final String request;
  private final String expectation;
  private final String sentence;

  StoreCheck(Need need, String request, String expectation, String sentence) {
    this.need = need;
    this.request = request;
    this.expectation = expectation;
    this.sentence = sentence;
  }

  /** For example {@code create-race}. */
  String id() {
    return Labels.of(this);
  }

  Need need() {
    return need;
  }

  String request() {
    return request;
  }

  String expectation() {
    return expectation;
  }

  /** The message for a store that fails. */
  String sentence() {
    return sentence;
  }
}
