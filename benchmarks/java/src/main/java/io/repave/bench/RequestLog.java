package io.repave.bench;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttribute;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.interceptor.SdkExecutionAttribute;
import software.amazon.awssdk.services.s3.model.DeleteObjectsRequest;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;

/**
 * Counts the requests of this JVM's S3A clients where no proxy can: on a store behind TLS. One line
 * for each attempt that was answered, in the words of the proxy's journal.
 */
public final class RequestLog implements ExecutionInterceptor {
  private static final ExecutionAttribute<Long> SENT = new ExecutionAttribute<>("benchmark.sent");
  private static final Queue<String> LINES = new ConcurrentLinkedQueue<>();

  /** Forgets what was logged. */
  public static void clear() {
    LINES.clear();
  }

  /** What was logged: lines of tab-separated fields. */
  public static String lines() {
    return String.join("\n", LINES);
  }

  @Override
  public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes told) {
    told.putAttribute(SENT, System.currentTimeMillis());
  }

  @Override
  public void afterTransmission(Context.AfterTransmission context, ExecutionAttributes told) {
    SdkRequest request = context.request();
    long sent = told.getAttribute(SENT);
    LINES.add(
        String.join(
            "\t",
            told.getAttribute(SdkExecutionAttribute.OPERATION_NAME),
            Long.toString(sent),
            Long.toString(System.currentTimeMillis() - sent),
            Integer.toString(context.httpResponse().statusCode()),
            text(request, "Bucket"),
            request.getValueForField("Key", String.class).orElse(text(request, "Prefix")),
            context.httpRequest().firstMatchingHeader("Content-Length").orElse("0"),
            deleted(request)));
  }

  private static String text(SdkRequest request, String field) {
    return request.getValueForField(field, String.class).orElse("");
  }

  private static String deleted(SdkRequest request) {
    return request instanceof DeleteObjectsRequest page
        ? page.delete().objects().stream()
            .map(ObjectIdentifier::key)
            .collect(Collectors.joining("\u0001"))
        : "";
  }
}
