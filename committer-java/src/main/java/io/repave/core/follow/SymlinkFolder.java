package io.repave.core.follow;

import io.repave.core.engine.TableContext;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoredObject;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The folder of one partition's symlink manifest, as a listing found it. Readers take all files of
 * the folder together.
 *
 * <p>The folder changes by one conditional write at a time, and is never again in a state in which
 * it was before. So a slow process, whose write names the state that it has seen, cannot put an old
 * list over a newer one. Etags alone do not give this, because equal contents have equal etags: a
 * rollback brings an old list back, and every emptied partition has the same one. Therefore the
 * folder goes from the file {@code manifest} to {@code manifest-1} and so on. Only the last file
 * may be written, and only while it is <em>open</em>: it has an even, positive number of bytes. The
 * next file is created only after the last one is <em>closed</em>: it is empty, or has an odd
 * number of bytes. The line feed at the end of a list is there or not, as the parity needs it.
 *
 * <p>The list is in the newest file that ever had lines. Files before that one are emptied without
 * a condition, because they never have the list again: before any other write to the folder they
 * are empty. A closed file is emptied only after a later one got lines. All files stay.
 *
 * @param files what the listing showed, by number
 */
record SymlinkFolder(String partition, SortedMap<Integer, ListedObject> files) {
  private static final String NAME = "manifest";
  private static final int NUMBER_DIGITS_MAX = 9;
  private static final int NO_NUMBER = -1;

  /** More files that are missing are not of this folder: a late write of an earlier follower. */
  private static final int MISSED_MAX = 8;

  /** The folder of a partition that has no manifest. */
  static SymlinkFolder empty(String partition) {
    return new SymlinkFolder(partition, new TreeMap<>());
  }

  /** The number of a file with this name; negative for a file of another kind. */
  static int number(String name) {
    if (name.equals(NAME)) {
      return 0;
    }
    String digits = name.startsWith(NAME + "-") ? name.substring(NAME.length() + 1) : "";
    boolean plain = !digits.isEmpty() && digits.chars().allMatch(c -> c >= '0' && c <= '9');
    return plain && digits.length() <= NUMBER_DIGITS_MAX && digits.charAt(0) != '0'
        ? Integer.parseInt(digits)
        : NO_NUMBER;
  }

  private static String name(int number) {
    return number == 0 ? NAME : NAME + "-" + number;
  }

  /** The same folder with one more file, in any order. */
  SymlinkFolder with(int number, ListedObject file) {
    SortedMap<Integer, ListedObject> more = new TreeMap<>(files);
    more.put(number, file);
    return new SymlinkFolder(partition, more);
  }

  private int last() {
    return files.isEmpty() ? NO_NUMBER : files.lastKey();
  }

  private boolean isOpen() {
    long bytes = files.isEmpty() ? 0 : files.get(last()).bytes();
    return bytes > 0 && bytes % 2 == 0;
  }

  /** The newest file that is not empty: it has the list. */
  private int shown() {
    return files.entrySet().stream()
        .filter(file -> file.getValue().bytes() > 0)
        .mapToInt(Map.Entry::getKey)
        .max()
        .orElse(NO_NUMBER);
  }

  /**
   * Writes the list of the partition's files. Throws REFUSED when another process wrote meanwhile;
   * after that, and when the outcome is unknown, the folder has to be listed again.
   *
   * <p>Returns the file that had the list before it moved to the next one, if it did. The caller
   * has to {@link #empty} it, but not at once: a reader that listed the folder before opens only
   * that file.
   *
   * <p>Requests: 1 PUT If-Match. Where the list may have been there before, or the last file is
   * closed: 1 GET, and at most 1 PUT If-Match, 1 PUT If-None-Match and 1 PUT. Readers then see the
   * old and the new list together until the former file is empty, or a list that is to be emptied
   * twice, until the last PUT.
   */
  OptionalInt write(TableContext context, byte[] list, boolean fresh)
      throws StoreException, InterruptedException {
    int shown = shown();
    clear(context, shown);
    if (isOpen() && (fresh || list.length == 0)) {
      replace(context, list);
      return OptionalInt.empty();
    }
    byte[] content = shown < 0 ? new byte[0] : content(context, shown);
    if (list.length > 0 && isSame(content, list)) {
      keep(context, content);
      return OptionalInt.empty();
    }
    return move(context, shown, content, list);
  }

  /** True if a file before the one with the list has lines too, which {@link #write} empties. */
  boolean hasFormerLines() {
    return files.headMap(Math.max(0, shown())).values().stream().anyMatch(it -> it.bytes() > 0);
  }

  /**
   * Empties the files before the one with the list. Later would be too late: one of them could have
   * the list by then. A file that was created during the listing may be missing there although the
   * next one is not: then this throws REFUSED.
   */
  private void clear(TableContext context, int shown) throws StoreException, InterruptedException {
    if (last() + 1 - files.size() <= MISSED_MAX) {
      for (int number = 0; number < last(); number++) {
        if (!files.containsKey(number)) {
          put(context, number, new byte[0]);
        }
      }
    }
    for (Map.Entry<Integer, ListedObject> file : files.entrySet()) {
      if (file.getKey() < shown && file.getValue().bytes() > 0) {
        empty(context, file.getKey());
      }
    }
  }

  /**
   * A list that is there already is not written to a second file: a process that died before it
   * emptied the first would leave every row twice. But the folder changes, so that late writes are
   * refused.
   */
  private void keep(TableContext context, byte[] content) throws StoreException {
    if (isOpen()) {
      replace(context, SymlinkLists.closed(content));
    } else {
      put(context, last() + 1, new byte[0]);
    }
  }

  /**
   * Writes the list into the next file; returns the one that had it. When there are no files any
   * more, the next file first gets the lines of the closed one. If the next file were empty, nobody
   * would know whether the closed file still has the list or is about to be emptied. Then both are
   * emptied at once: readers should see no row.
   */
  private OptionalInt move(TableContext context, int shown, byte[] content, byte[] list)
      throws StoreException, InterruptedException {
    if (isOpen()) {
      // If it is not the listed content any more, the condition fails.
      replace(context, SymlinkLists.closed(content));
    }
    int next = last() + 1;
    boolean copies = list.length == 0 && content.length > 0;
    String etag = put(context, next, copies ? SymlinkLists.open(content) : list);
    if (copies) {
      empty(context, shown);
      context.store().putIfMatch(file(context, next), ByteBuffer.wrap(list), etag);
      return OptionalInt.empty();
    }
    return content.length > 0 ? OptionalInt.of(shown) : OptionalInt.empty();
  }

  private Location file(TableContext context, int number) {
    return context.paths().symlinks(partition).resolve(name(number));
  }

  /** Needs no condition: a later file has, or had, the list. */
  void empty(TableContext context, int number) throws StoreException, InterruptedException {
    context.records().put(file(context, number), new byte[0]);
  }

  private void replace(TableContext context, byte[] content) throws StoreException {
    String etag = files.get(last()).etag();
    context.store().putIfMatch(file(context, last()), ByteBuffer.wrap(content), etag);
  }

  private String put(TableContext context, int number, byte[] content) throws StoreException {
    return context.store().putIfAbsent(file(context, number), ByteBuffer.wrap(content));
  }

  private byte[] content(TableContext context, int number)
      throws StoreException, InterruptedException {
    long most = SymlinkLists.BYTES_MAX + 1;
    Optional<StoredObject> now =
        context.retry().known(() -> context.store().read(file(context, number), most));
    return now.map(StoredObject::content).orElse(new byte[0]);
  }

  /** An open list and a closed one differ in their last line feed. */
  private static boolean isSame(byte[] content, byte[] list) {
    return Arrays.equals(content, list) || Arrays.equals(content, SymlinkLists.closed(list));
  }
}
