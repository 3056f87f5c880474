package io.repave.core.engine;

/**
 * What happens to a commit when another one, published after its base, changed a partition that it
 * replaces.
 */
public enum ConflictPolicy {
  FAIL,
  LAST_WRITER
}
