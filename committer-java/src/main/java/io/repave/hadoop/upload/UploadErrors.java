package io.repave.hadoop.upload;

import io.repave.core.store.Location;
import io.repave.hadoop.footer.Disorder;
import io.repave.hadoop.footer.FileOrder;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.hadoop.fs.FileAlreadyExistsException;

/** The errors of writers and task attempts. Each names the problem, its cause and what to do. */
final class UploadErrors {
  private static final String REPORT = " Report this as a bug of the output format or its library.";

  private UploadErrors() {}

  static InterruptedIOException aborted() {
    return new InterruptedIOException("The task attempt was aborted.");
  }

  /** {@code file} is the file, or the table, for which the first failure is reported. */
  static IOException attemptFailed(Location file, Throwable first) {
    return new IOException(
        "Cannot write " + file + ", because this task attempt has failed: " + first.getMessage(),
        first);
  }

  static IOException closed(Location file) {
    return new IOException(file + " is closed: nothing more can be written to it." + REPORT);
  }

  static FileAlreadyExistsException alreadyOpen(Location file) {
    return new FileAlreadyExistsException(
        "This task attempt is already writing " + file + ". Write each file once.");
  }

  static FileNotFoundException notCreated(Location file) {
    return new FileNotFoundException(
        file
            + " does not exist yet: this task attempt has been given the name, but its writer has not"
            + " created the file.");
  }

  static IOException notClosed(Location file) {
    return new IOException(
        "The task cannot commit " + file + ", because its writer did not close it." + REPORT);
  }

  static IllegalStateException announcedTwice(Location file) {
    return new IllegalStateException(
        file
            + " was requested twice by one task attempt, but each of its files needs a name of its"
            + " own."
            + REPORT);
  }

  static IOException notInOrder(Location file, FileOrder order, Disorder disorder) {
    return new IOException(
        "The rows of "
            + file
            + " are not in the order of repave.order ("
            + order.text()
            + "): "
            + disorder.later()
            + " has a row whose "
            + disorder.column()
            + " sorts before a row in "
            + disorder.earlier()
            + ". Nothing of this job is published. Sort the rows right before the write, as"
            + " repave.ordered(df, ...) does in Python, or write without repave.order.");
  }

  static IOException tooLong(Location file, PartLimits limits) {
    long fits = (long) limits.partsMax() * limits.partBytes();
    return new IOException(
        String.format(
            Locale.ROOT,
            "%s is longer than %d bytes, the size of %d parts of %d bytes. Set repave.part.size to"
                + " %d or more for files of up to %d bytes, or have the job write smaller files.",
            file,
            fits,
            limits.partsMax(),
            limits.partBytes(),
            4L * limits.partBytes(),
            4L * fits));
  }

  static IOException spilledPartIsShort(Path spilled, int found, int expected) {
    return new IOException(
        "The spilled part "
            + spilled
            + " has "
            + found
            + " bytes instead of "
            + expected
            + ". Check the local disk, and run the job again.");
  }

  static IllegalArgumentException memoryTooSmall(long limitBytes, long partBytes) {
    return new IllegalArgumentException(
        "The upload memory of this JVM is "
            + limitBytes
            + " bytes, less than two parts of "
            + partBytes
            + " bytes. Raise repave.upload.memory or lower repave.part.size. The first write in a"
            + " JVM sets the memory, so start a new application.");
  }

  static InterruptedIOException interruptedInMemory() {
    return new InterruptedIOException("Interrupted while waiting for upload memory.");
  }

  static IOException endedUnexpectedly(Throwable cause) {
    return new IOException(
        "The uploads of this task attempt ended unexpectedly. Nothing of the attempt is published;"
            + " Spark runs the task again.",
        cause);
  }
}
