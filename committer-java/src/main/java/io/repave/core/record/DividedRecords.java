package io.repave.core.record;

import io.repave.core.error.InvalidRecordException;
import java.io.IOException;
import java.util.List;

/**
 * Writes a list as one record, or as several when readers would not accept so large a record: its
 * names and statistics decide how many files fit.
 */
public final class DividedRecords {
  private DividedRecords() {}

  /** A list as a record; throws when the record is too large. */
  @FunctionalInterface
  public interface Form<T> {
    byte[] of(List<T> part) throws InvalidRecordException;
  }

  /** Stores the record of a part of the list. */
  @FunctionalInterface
  public interface Sink<T> {
    void put(List<T> part, byte[] record) throws IOException, InterruptedException;
  }

  /** Writes the parts of a list, in order. */
  public static <T> void write(List<T> list, Form<T> form, Sink<T> sink)
      throws IOException, InterruptedException {
    byte[] record;
    try {
      record = form.of(list);
    } catch (InvalidRecordException tooLarge) {
      int half = list.size() / 2;
      if (half == 0) {
        throw tooLarge;
      }
      write(list.subList(0, half), form, sink);
      write(list.subList(half, list.size()), form, sink);
      return;
    }
    sink.put(list, record);
  }
}
