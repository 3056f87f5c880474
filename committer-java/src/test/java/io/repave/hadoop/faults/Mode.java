package io.repave.hadoop.faults;

import java.util.List;
import java.util.Locale;

/**
 * One way in which a store fails. It has a separate fault for every kind of call, so that the proxy
 * counts them separately.
 */
enum Mode {
  BUSY_5("503, 5 %", "error", 0.05),
  BUSY_20("503, 20 %", "error", 0.2),
  BUSY_50("503, 50 %", "error", 0.5),
  ERROR_AFTER("500 after the effect", "error_after", 0.12),
  LOST("answer lost after the effect", "lost", 0.12),
  RESET("connection reset before the effect", "reset", 0.12),
  TRUNCATED("half an answer after the effect", "truncate", 0.12),
  HANG("no answer, no effect", "hang", 0.08),
  HANG_AFTER("no answer after the effect", "hang_after", 0.08),
  LATE("effect after the client gave up", "delay", 0.08),
  OK_ERROR("200 with an error, no effect", "ok_error", 0.12),
  OK_ERROR_AFTER("200 with an error after the effect", "ok_error_after", 0.12);

  /** Longer than {@link Lane#TIMEOUT_MILLIS}: the request arrives after the client has ended. */
  static final long LATE_MILLIS = 1_500;

  /** The kinds of calls: an operation, and which keys. Of puts, the head's are conditional. */
  static final List<Target> TARGETS =
      List.of(
          new Target("create upload", "CreateMultipartUpload", ""),
          new Target("part", "UploadPart", ""),
          new Target("complete", "CompleteMultipartUpload", ""),
          new Target("abort", "AbortMultipartUpload", ""),
          new Target("list uploads", "ListMultipartUploads", ""),
          new Target("swap of the head", "PutObject", "/_repave/head[.]json$"),
          new Target("record, if absent", "PutObject", "/_repave/(?!head[.]json$)"),
          new Target("file, by PUT", "PutObject", "/part-"),
          new Target("GET", "GetObject", ""),
          new Target("HEAD", "HeadObject", ""),
          new Target("LIST", "ListObjectsV2", ""),
          new Target("delete", "DeleteObjects", ""));

  /** The target of a fault. */
  record Target(String name, String operation, String key) {}

  final String title;
  private final String action;
  private final double probability;

  Mode(String title, String action, double probability) {
    this.title = title;
    this.action = action;
    this.probability = probability;
  }

  /** The faults in the format of the proxy. */
  String faults() {
    return TARGETS.stream().map(this::fault).toList().toString();
  }

  private String fault(Target target) {
    return String.format(
        Locale.ROOT,
        "{\"do\": \"%s\", \"op\": \"%s\", \"key\": \"%s\", \"probability\": %s, \"ms\": %d}",
        action,
        target.operation,
        target.key,
        probability,
        lateMillis());
  }

  /** How long after its client has ended a request may still arrive. */
  long lateMillis() {
    return this == LATE ? LATE_MILLIS : 0;
  }
}
