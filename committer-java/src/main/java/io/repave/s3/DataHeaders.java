package io.repave.s3;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;

/**
 * The HTTP headers that the user configured for data files: storage class, encoding, tags.
 *
 * <p>Records have none of them, because every job reads the records. A record in an archive class
 * could not be read, which would block all jobs, and a lifecycle rule may move or delete objects by
 * their tags.
 */
final class DataHeaders {
  private static final String STORAGE_CLASS = "fs.s3a.create.storage.class";
  private static final String ENCODING = "fs.s3a.object.content.encoding";
  private static final String TAGS = "fs.s3a.object.tags";
  private static final String ONE_TAG = "fs.s3a.object.tag.";

  private DataHeaders() {}

  static Map<String, String> of(Configuration conf) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("x-amz-storage-class", conf.getTrimmed(STORAGE_CLASS, "").toUpperCase(Locale.ROOT));
    headers.put("Content-Encoding", conf.getTrimmed(ENCODING, ""));
    headers.put("x-amz-tagging", tagging(conf));
    headers.values().removeIf(String::isEmpty);
    return Map.copyOf(headers);
  }

  /** From S3A's settings: all tags in one setting, or one setting per tag, which has priority. */
  private static String tagging(Configuration conf) {
    Map<String, String> tags = new TreeMap<>();
    for (String each : conf.getTrimmedStrings(TAGS)) {
      String[] tag = each.split("=", 2);
      tags.put(tag[0].trim(), tag.length == 2 ? tag[1].trim() : "");
    }
    tags.putAll(conf.getPropsWithPrefix(ONE_TAG));
    return tags.entrySet().stream()
        .map(tag -> encoded(tag.getKey()) + "=" + encoded(tag.getValue()))
        .collect(Collectors.joining("&"));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
