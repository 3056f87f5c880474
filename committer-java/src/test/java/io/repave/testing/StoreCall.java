package io.repave.testing;

/** The calls of the port, as fault schedules and traces name them. */
public enum StoreCall {
  READ,
  HEAD,
  LIST,
  LIST_UPLOADS,
  PUT,
  PUT_IF_ABSENT,
  PUT_IF_MATCH,
  CREATE_UPLOAD,
  UPLOAD_PART,
  COMPLETE,
  ABORT,
  DELETE;

  /** Only such a call can have an effect after its answer was lost. */
  public boolean changes() {
    return compareTo(PUT) >= 0;
  }

  public boolean conditional() {
    return this == PUT_IF_ABSENT || this == PUT_IF_MATCH;
  }
}
