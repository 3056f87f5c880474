package io.repave.s3;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;

/**
 * Errors with a status below 500 after which the same request may succeed later, or may have
 * succeeded. Python has the same list: {@code scripts/generate.py} writes it to {@code
 * python/repave/_temporary.py}.
 */
public final class TemporaryErrors {
  static final List<Integer> STATUSES = List.of(408, 425, 429);

  static final List<String> CODES =
      List.of(
          "RequestTimeout",
          "SlowDown",
          "Throttling",
          "ThrottlingException",
          "KMS.ThrottlingException",
          "TooManyRequests");

  private TemporaryErrors() {}

  static boolean include(ErrorResponse error) {
    return STATUSES.contains(error.status()) || CODES.contains(error.code());
  }

  public static void main(String[] arguments) throws JsonProcessingException {
    System.out.println(
        new ObjectMapper().writeValueAsString(Map.of("statuses", STATUSES, "codes", CODES)));
  }
}
