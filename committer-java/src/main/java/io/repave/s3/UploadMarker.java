package io.repave.s3;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Where the next page of open uploads starts. S3 requires both the key and the upload id. */
record UploadMarker(String key, String uploadId) {
  static final UploadMarker START = new UploadMarker("", "");

  /** The marker at the end of a truncated page. Some stores omit the upload id. */
  UploadMarker next(String key, String uploadId) throws InvalidResponseException {
    UploadMarker next =
        new UploadMarker(
            InvalidResponseException.require(key, "the next page's marker"),
            uploadId == null ? "" : uploadId);
    if (next.equals(this)) {
      throw new InvalidResponseException("any upload after the marker that it was sent");
    }
    return next;
  }

  static UploadMarker parse(String next) {
    int cut = next.indexOf('&');
    return cut < 0
        ? START
        : new UploadMarker(
            URLDecoder.decode(next.substring(0, cut), StandardCharsets.UTF_8),
            URLDecoder.decode(next.substring(cut + 1), StandardCharsets.UTF_8));
  }

  /** One opaque string, for the port. */
  String encoded() {
    return URLEncoder.encode(key, StandardCharsets.UTF_8)
        + "&"
        + URLEncoder.encode(uploadId, StandardCharsets.UTF_8);
  }
}
