package io.repave.core.record;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.store.Utf8Order;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** Reads and writes the folders that a commit replaces as a whole, and those that it touches. */
final class FoldersJson {
  private static final String SCOPE = "scope";
  private static final String TOUCHED = "touched";

  private FoldersJson() {}

  static void put(ObjectNode json, Collection<String> scope, Collection<String> touched) {
    scope.forEach(json.putArray(SCOPE)::add);
    touched.forEach(json.putArray(TOUCHED)::add);
  }

  /** Writes folders that cover what a commit touches; omits them when they are not known. */
  static void putSome(ObjectNode json, List<String> touched) {
    if (!touched.isEmpty()) {
      touched.forEach(json.putArray(TOUCHED)::add);
    }
  }

  static List<String> some(Fields json) throws InvalidRecordException {
    return checked(json.optionalTexts(TOUCHED), json.where());
  }

  static List<String> scope(Fields json) throws InvalidRecordException {
    return checked(json.texts(SCOPE), json.where());
  }

  static SortedSet<String> touched(Fields json) throws InvalidRecordException {
    SortedSet<String> touched = new TreeSet<>(Utf8Order.KEYS);
    touched.addAll(checked(json.texts(TOUCHED), json.where()));
    return touched;
  }

  private static List<String> checked(List<String> texts, String where)
      throws InvalidRecordException {
    List<String> folders = new ArrayList<>();
    for (String folder : texts) {
      folders.add(RecordNames.checkPartition(folder, where));
    }
    return folders;
  }
}
