package io.repave.core;

import io.repave.core.record.Head;
import java.io.IOException;

/** A question that the records which a head names answer. */
@FunctionalInterface
public interface HeadQuestion<T> {
  T answer(Head head) throws IOException, InterruptedException;
}
