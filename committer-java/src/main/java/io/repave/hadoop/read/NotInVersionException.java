package io.repave.hadoop.read;

import java.io.FileNotFoundException;

/** A version of a snapshot table has no such file or folder. The store may still have it. */
final class NotInVersionException extends FileNotFoundException {
  private static final long serialVersionUID = 1L;

  NotInVersionException(String message) {
    super(message);
  }
}
