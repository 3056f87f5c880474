package io.repave.core.record;

import io.repave.core.store.Utf8Order;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The folders that a commit touches. Two footprints overlap when one contains a folder of the
 * other, or the same folder: {@code dt=1} and {@code dt=1/hour=2} overlap, {@code dt=1} and {@code
 * dt=10} do not. "" overlaps everything inside the table. {@link #EVERYTHING} also overlaps
 * partitions outside the table.
 */
public final class Footprint {
  /** All partitions, inside and outside the table: the footprint of a rollback. */
  public static final Footprint EVERYTHING = new Footprint(true);

  /** All partitions outside the table: the name of each begins with this folder's. */
  public static final Footprint OUTSIDE = of(List.of("s3:/"));

  /** The most characters of an outline: the head has one per unfinished and recent commit. */
  private static final int OUTLINE_CHARS = 256;

  private final TreeSet<String> folders = new TreeSet<>(Utf8Order.KEYS);

  /** Partitions that count without those inside them. */
  private final TreeSet<String> alone = new TreeSet<>(Utf8Order.KEYS);

  private final boolean everything;

  private Footprint(boolean everything) {
    this.everything = everything;
  }

  public static Footprint of(Collection<String> folders) {
    Footprint footprint = new Footprint(false);
    footprint.folders.addAll(folders);
    return footprint;
  }

  /**
   * All partitions that may have files in some folders of the table or below them: the folders
   * themselves, the partitions inside them, and those around them. The last ones count because a
   * file's name may contain folders.
   */
  public static Footprint reaching(Collection<String> folders) {
    if (folders.contains("")) {
      return EVERYTHING;
    }
    Footprint footprint = of(folders);
    footprint.alone.add("");
    for (String folder : folders) {
      for (int slash = folder.indexOf('/'); slash > 0; slash = folder.indexOf('/', slash + 1)) {
        footprint.alone.add(folder.substring(0, slash));
      }
    }
    return footprint;
  }

  public SortedSet<String> folders() {
    return Collections.unmodifiableSortedSet(folders);
  }

  /**
   * Folders that cover this footprint and take little space: its own folders, or folders above
   * them; "" covers all inside the table. Empty when there are none; then the footprint must be
   * read from the ledger.
   */
  public List<String> outline() {
    if (everything) {
      return List.of();
    }
    SortedSet<String> inside = sorted(folders.stream().filter(it -> !RecordNames.isOutside(it)));
    SortedSet<String> outside = sorted(folders.stream().filter(RecordNames::isOutside));
    while (chars(inside) + chars(outside) > OUTLINE_CHARS) {
      if (!inside.isEmpty() && !inside.equals(Set.of(""))) {
        inside = inside.contains("") ? sorted(Stream.of("")) : around(inside);
        continue;
      }
      SortedSet<String> wider = around(outside);
      if (wider.equals(outside)) {
        return List.of();
      }
      outside = wider;
    }
    return Stream.concat(inside.stream(), outside.stream()).toList();
  }

  private static SortedSet<String> around(SortedSet<String> inner) {
    return sorted(inner.stream().map(Footprint::around));
  }

  /** The folder that contains another. A folder directly in a bucket stays. */
  private static String around(String folder) {
    String above = folder.substring(0, Math.max(0, folder.lastIndexOf('/')));
    boolean isBucket = RecordNames.isOutside(above) && above.lastIndexOf('/') == "s3:/".length();
    return isBucket ? folder : above;
  }

  private static SortedSet<String> sorted(Stream<String> folders) {
    SortedSet<String> sorted = new TreeSet<>(Utf8Order.KEYS);
    folders.forEach(sorted::add);
    return sorted;
  }

  private static int chars(Collection<String> folders) {
    return folders.stream().mapToInt(folder -> folder.length() + 3).sum();
  }

  /** The folders whose earlier files the commit replaces. */
  public static Footprint replaced(
      CommitKind kind, Collection<String> touched, Collection<String> scope) {
    return switch (kind) {
      case DYNAMIC -> of(touched);
      case STATIC -> of(scope);
      case ROLLBACK -> EVERYTHING;
      case APPEND, ADOPT -> of(List.of());
    };
  }

  /** True when it covers everything inside the table. */
  public boolean isWhole() {
    return everything || folders.contains("");
  }

  public boolean isEmpty() {
    return folders.isEmpty() && !everything;
  }

  /** True when this footprint may cover a folder between two others, inclusive. */
  public boolean mayCoverBetween(String first, String last) {
    if (folders.contains("") || covers(first)) {
      return true;
    }
    return hasBetween(folders, first, last)
        || hasBetween(alone, first, last)
        || coversAfter(first, last);
  }

  private static boolean hasBetween(TreeSet<String> sorted, String first, String last) {
    String next = sorted.ceiling(first);
    return next != null && Utf8Order.compare(next, last) <= 0;
  }

  /**
   * A folder that sorts before {@code first} and covers a later one is a prefix of {@code first}:
   * {@code dt=1} is a prefix of {@code dt=1-a}, which sorts before {@code dt=1/hour=1}.
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

  /** True when it may overlap what an outline covers. Of an empty one it is not known. */
  public boolean mayOverlap(List<String> outline) {
    return outline.isEmpty() || overlaps(of(outline));
  }

  /** True when this footprint contains the folder, a folder above it, or a folder inside it. */
  public boolean touches(String folder) {
    return covers(folder) || containsInside(folder);
  }

  /** True when this footprint contains the folder or a folder above it. */
  public boolean covers(String folder) {
    if (everything || folders.contains(folder) || alone.contains(folder)) {
      return true;
    }
    if (!RecordNames.isOutside(folder) && folders.contains("")) {
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

  private boolean containsInside(String folder) {
    if (folder.isEmpty()) {
      return folders.stream().anyMatch(own -> !RecordNames.isOutside(own));
    }
    String inside = folder + "/";
    String next = folders.ceiling(inside);
    return next != null && next.startsWith(inside);
  }
}
