package io.repave.s3;

import java.io.IOException;

/** The store answered with success, but not with what S3 says on success. */
final class UnusableAnswer extends IOException {
  private static final long serialVersionUID = 1L;

  UnusableAnswer(String missing) {
    super("the store answered 200 without " + missing + ", so nothing is known of the effect");
  }

  /** The value, which S3 always sends. */
  static <T> T require(T value, String what) throws UnusableAnswer {
    if (value == null) {
      throw new UnusableAnswer(what);
    }
    return value;
  }

  /** A tag without the quotes that only some answers have. */
  static String tag(String etag) throws UnusableAnswer {
    String tag = require(etag, "an entity tag");
    return tag.length() > 1 && tag.startsWith("\"") && tag.endsWith("\"")
        ? tag.substring(1, tag.length() - 1)
        : tag;
  }
}
