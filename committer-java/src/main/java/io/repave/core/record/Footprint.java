package io.repave.core.record;

import io.repave.core.store.Utf8Order;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The folders that a commit touches. Two overlap when one holds a folder of the other, or the same:
 * {@code dt=1} and {@code dt=1/hour=2} do, {@code dt=1} and {@code dt=10} do not, and "" overlaps
 * all that is inside the table. The footprint {@link #EVERYTHING} overlaps partitions elsewhere
 * too.
 */
public final class Footprint {
  /** All partitions, wherever they live: a rollback's. */
  public static final Footprint EVERYTHING = new Footprint(true);

  /** Room for an outline: the head holds one for every unfinished and every recent commit. */
  private static final int OUTLINE_CHARS = 256;

  private final TreeSet<String> folders = new TreeSet<>(Utf8Order.KEYS);
  private final boolean everything;

  private Footprint(boolean everything) {
    this.everything = everything;
  }

  public static Footprint of(Collection<String> partitions, Collection<String> scope) {
    Footprint footprint = new Footprint(false);
    footprint.folders.addAll(partitions);
    footprint.folders.addAll(scope);
    return footprint;
  }

  public SortedSet<String> folders() {
    return Collections.unmodifiableSortedSet(folders);
  }

  /**
   * Folders that cover this footprint and take little room: its own, or the folders around them.
   * Empty when there are none, which means that the footprint has to be looked up.
   */
  public List<String> outline() {
    Collection<String> outline = folders;
    while (!everything && chars(outline) > OUTLINE_CHARS) {
      TreeSet<String> around = new TreeSet<>(Utf8Order.KEYS);
      for (String folder : outline) {
        if (RecordNames.elsewhere(folder)) {
          return List.of();
        }
        around.add(folder.substring(0, Math.max(0, folder.lastIndexOf('/'))));
      }
      if (around.contains("")) {
        return List.of();
      }
      outline = around;
    }
    return everything ? List.of() : List.copyOf(outline);
  }

  private static int chars(Collection<String> folders) {
    return folders.stream().mapToInt(folder -> folder.length() + 3).sum();
  }

  /** The folders of which nothing older is live after a commit that touched and was to replace. */
  public static Footprint replaced(
      CommitKind kind, Collection<String> touched, Collection<String> scope) {
    return switch (kind) {
      case DYNAMIC -> of(touched, List.of());
      case STATIC -> of(List.of(), scope);
      case ROLLBACK -> EVERYTHING;
      case APPEND, ADOPT -> of(List.of(), List.of());
    };
  }

  /** True when it covers all that is inside the table. */
  public boolean isWhole() {
    return everything || folders.contains("");
  }

  public boolean isEmpty() {
    return folders.isEmpty() && !everything;
  }

  /** True when a folder between two others, both included, may be covered by this footprint. */
  public boolean meets(String first, String last) {
    if (folders.contains("") || covers(first)) {
      return true;
    }
    String next = folders.ceiling(first);
    return next != null && Utf8Order.compare(next, last) <= 0 || coversAfter(first, last);
  }

  /**
   * One that comes before the first and covers a later one begins the first one's name, as {@code
   * dt=1} does that of {@code dt=1-a}, which comes before {@code dt=1/hour=1}.
   */
  private boolean coversAfter(String first, String last) {
    for (int end = first.length() - 1; end > 0; end--) {
      String inside = first.substring(0, end) + "/";
      if (folders.contains(first.substring(0, end))
          && Utf8Order.compare(first, inside) <= 0
          && Utf8Order.compare(inside, last) <= 0) {
        return true;
      }
    }
    return false;
  }

  public boolean overlaps(Footprint other) {
    if (everything || other.everything) {
      return !isEmpty() && !other.isEmpty();
    }
    return folders.size() <= other.folders.size()
        ? folders.stream().anyMatch(other::touches)
        : other.folders.stream().anyMatch(this::touches);
  }

  /** True when this footprint holds the folder, one around it, or one inside it. */
  public boolean touches(String folder) {
    return covers(folder) || holdsInside(folder);
  }

  /** True when this footprint holds the folder itself or one around it. */
  public boolean covers(String folder) {
    if (everything || folders.contains(folder)) {
      return true;
    }
    if (!RecordNames.elsewhere(folder) && folders.contains("")) {
      return true;
    }
    for (int slash = folder.lastIndexOf('/');
        slash > 0;
        slash = folder.lastIndexOf('/', slash - 1)) {
      if (folders.contains(folder.substring(0, slash))) {
        return true;
      }
    }
    return false;
  }

  private boolean holdsInside(String folder) {
    if (folder.isEmpty()) {
      return folders.stream().anyMatch(held -> !RecordNames.elsewhere(held));
    }
    String inside = folder + "/";
    String next = folders.ceiling(inside);
    return next != null && next.startsWith(inside);
  }
}
