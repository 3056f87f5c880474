package io.repave.spark;

import java.io.Serializable;

/** What Spark constructs a commit protocol with. */
record WriteArguments(String jobId, String path, boolean dynamic) implements Serializable {
  private static final long serialVersionUID = 1L;
}
