package io.repave.s3;

/**
 * A request failed after the SDK had sent it more than once. An earlier try may have been applied,
 * whatever the last answer says.
 */
final class RepeatedRequestException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RepeatedRequestException(RuntimeException lastAnswer) {
    super(lastAnswer.getMessage(), lastAnswer);
  }
}
