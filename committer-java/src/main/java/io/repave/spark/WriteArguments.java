package io.repave.spark;

import java.io.Serializable;

/** The arguments of a commit protocol's constructor. */
record WriteArguments(String jobId, String path, boolean dynamic) implements Serializable {
  private static final long serialVersionUID = 1L;
}
