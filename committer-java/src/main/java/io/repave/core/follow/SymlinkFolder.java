package io.repave.core.follow;

import io.repave.core.engine.TableContext;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoredObject;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

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
 * Files before the last one are emptied, and stay.
 *
 * @param last the number of the last file; -1 when there is none
 * @param filled the files before the last one that are not empty
 */
record SymlinkFolder(String partition, int last, String etag, long bytes, List<Integer> filled) {
  private static final String NAME = "manifest";
  private static final int NUMBER_DIGITS_MAX = 9;
  private static final int NO_NUMBER = -1;

  /** The folder of a partition that has no manifest. */
  static SymlinkFolder empty(String partition) {
    return new SymlinkFolder(partition, NO_NUMBER, "", 0, List.of());
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
    List<Integer> more = new ArrayList<>(filled);
    if (number < last) {
      if (file.bytes() > 0) {
        more.add(number);
      }
      return new SymlinkFolder(partition, last, etag, bytes, more);
    }
    if (bytes > 0) {
      more.add(last);
    }
    return new SymlinkFolder(partition, number, file.etag(), file.bytes(), more);
  }

  private boolean isOpen() {
    return bytes > 0 && bytes % 2 == 0;
  }

  /**
   * Writes the list of the partition's files. Throws REFUSED when another process wrote meanwhile;
   * after that, and when the outcome is unknown, the folder has to be listed again. A list that is
   * there already is not written beside itself: a process that died before it emptied the file
   * before would leave every row twice. But the folder changes, so that late writes are refused.
   *
   * <p>Requests: 1 PUT If-Match. Where the list may have been there before, or the last file is
   * closed: 1 GET, 1 PUT If-Match, 1 PUT If-None-Match, 1 PUT. Readers then see the old and the new
   * list together until the last request.
   */
  void write(TableContext context, byte[] list, boolean fresh)
      throws StoreException, InterruptedException {
    List<Integer> before = new ArrayList<>(filled);
    if (isOpen() && (fresh || list.length == 0)) {
      replace(context, list);
    } else {
      int shown = shown();
      byte[] content = shown < 0 ? new byte[0] : content(context, shown);
      boolean isThere = list.length > 0 && isSame(content, list);
      if (isOpen()) {
        // If it is not the listed content any more, the condition fails.
        replace(context, SymlinkLists.closed(content));
      }
      if (!isOpen() || !isThere) {
        next(context, isThere ? new byte[0] : list);
      }
      if (isThere) {
        before.remove(Integer.valueOf(shown));
      } else if (bytes > 0) {
        before.add(last);
      }
    }
    for (int number : before) {
      // Nobody writes anything else to files before the last one, so this needs no condition.
      context.records().put(file(context, number), new byte[0]);
    }
  }

  private Location file(TableContext context, int number) {
    return context.paths().symlinks(partition).resolve(name(number));
  }

  private void replace(TableContext context, byte[] content) throws StoreException {
    context.store().putIfMatch(file(context, last), ByteBuffer.wrap(content), etag);
  }

  private void next(TableContext context, byte[] list) throws StoreException {
    context.store().putIfAbsent(file(context, last + 1), ByteBuffer.wrap(list));
  }

  /** The file with the present list: the last one, or the only one that is not empty. */
  private int shown() {
    if (bytes > 0) {
      return last;
    }
    return filled.size() == 1 ? filled.get(0) : NO_NUMBER;
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
