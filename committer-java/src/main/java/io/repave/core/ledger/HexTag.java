package io.repave.core.ledger;

import java.util.HexFormat;

/** The form of most part etags: 32 lower-case hex digits. */
final class HexTag {
  private static final int DIGITS = 32;

  private HexTag() {}

  /** The 16 bytes of an unquoted MD5 etag, or null when the etag has another form. */
  static byte[] parse(String etag) {
    if (etag.length() != DIGITS) {
      return null;
    }
    for (int i = 0; i < DIGITS; i++) {
      char c = etag.charAt(i);
      if (!(c >= '0' && c <= '9' || c >= 'a' && c <= 'f')) {
        return null;
      }
    }
    return HexFormat.of().parseHex(etag);
  }

  static String format(byte[] md5) {
    return HexFormat.of().formatHex(md5);
  }
}
