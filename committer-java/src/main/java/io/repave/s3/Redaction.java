package io.repave.s3;

import java.util.regex.Pattern;

/** Removes secrets that a server or an SDK may echo in a message: keys, tokens, signatures. */
final class Redaction {
  private static final String GONE = "(redacted)";

  /** {@code name=value} and {@code name: value} of headers and query parameters with secrets. */
  private static final Pattern NAMED =
      Pattern.compile(
          "(?i)((?:x-amz-)?(?:signature|credential|security-token|customer-key(?:-md5)?)"
              + "|authorization|AWSAccessKeyId|SecretAccessKey|SessionToken"
              + "|access[-_. ]?key|secret[-_. ]?key|session[-_. ]?token|password)"
              + "(\"?\\s*[=:>]\\s*\"?)(?:AWS4-HMAC-SHA256 )?[^\\s&,;\"'<>]+");

  private static final Pattern ACCESS_KEY = Pattern.compile("\\b(?:AKIA|ASIA)[A-Z0-9]{12,}\\b");

  /** The query of a URL may contain a signature, and its user part a password. */
  private static final Pattern QUERY = Pattern.compile("(https?://[^\\s?'\"]+)\\?[^\\s'\"]+");

  private static final Pattern USER = Pattern.compile("(https?://)[^\\s/@]+@");
  private static final int LONGEST = 500;

  private Redaction() {}

  static String of(String message) {
    if (message == null) {
      return "";
    }
    String line = message.replaceAll("[\\p{Cntrl}\\s]+", " ").trim();
    line = line.length() > LONGEST ? line.substring(0, LONGEST) + "…" : line;
    line = QUERY.matcher(line).replaceAll("$1?" + GONE);
    line = USER.matcher(line).replaceAll("$1" + GONE + "@");
    line = NAMED.matcher(line).replaceAll("$1$2" + GONE);
    return ACCESS_KEY.matcher(line).replaceAll(GONE);
  }
}
