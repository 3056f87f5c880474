package io.repave.core.listing;

import io.repave.core.engine.FileSink;
import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.UsageErrors;
import io.repave.core.ledger.PartFileName;
import io.repave.core.record.CommitId;
import io.repave.core.record.FileEntry;
import io.repave.core.record.RecordNames;
import io.repave.core.record.TablePaths;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.Utf8Order;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/** Finds the files in some folders of a table, inside or outside the table's own folder. */
public final class TouchedListing {
  private static final int SCANS_MAX = 64;

  /** EMRFS and s3n mark a folder by an object of this name next to it. S3A hides it from Spark. */
  private static final String FOLDER_MARK = "_$folder$";

  /** {@code hadoop fs -put} names a file so until all of it has arrived. Spark hides it. */
  private static final String UNFINISHED_COPY = "._COPYING_";

  /** A part of a large folder has about so many pages, so that few of them are not full. */
  private static final int PAGES_OF_A_PART = 4;

  private final TableContext context;
  private final Predicate<String> shown;
  private final Predicate<String> counts;
  private List<String> summaries = List.of();
  private List<String> written = List.of();

  /** {@code shown} tests keys relative to the listed tree, {@code counts} tests file names. */
  private TouchedListing(TableContext context, Predicate<String> shown, Predicate<String> counts) {
    this.context = context;
    this.shown = shown;
    this.counts = counts;
  }

  private TouchedListing(TableContext context, Predicate<String> counts) {
    this(context, relative -> !isHidden(relative), counts);
  }

  /**
   * Finds what a commit's overwrite replaces: the data files of other commits, unfinished copies,
   * and the summary files in the folders and in the table's root. {@code written} are the
   * partitions that the commit writes: where they are, old files are likely, so a large folder is
   * divided there.
   */
  public static TouchedListing replacedBy(
      TableContext context, CommitId commit, Collection<String> written) {
    TouchedListing listing =
        new TouchedListing(
            context,
            relative -> isShownBySome(relative) || SummaryFile.isAt(relative),
            name -> !PartFileName.belongsTo(name, commit.id()));
    listing.summaries = SummaryFile.prefixes(context.paths().root().prefix());
    listing.written =
        written.stream()
            .filter(folder -> !RecordNames.isOutside(folder))
            .map(folder -> context.paths().folder(folder).prefix())
            .sorted(Utf8Order.KEYS)
            .toList();
    return listing;
  }

  /** Finds all data files. */
  public static TouchedListing ofAll(TableContext context) {
    return new TouchedListing(context, name -> true);
  }

  /** Finds all data files, and the unfinished copies that engines other than Spark show. */
  public static TouchedListing withUnfinishedCopies(TableContext context) {
    return new TouchedListing(context, TouchedListing::isShownBySome, name -> true);
  }

  /** Finds all data files except those of one commit, which may or may not exist yet. */
  public static TouchedListing exceptOf(TableContext context, CommitId commit) {
    return new TouchedListing(context, name -> !PartFileName.belongsTo(name, commit.id()));
  }

  /** Finds the files of one commit, also in hidden folders, to which an append may write. */
  public static TouchedListing of(TableContext context, CommitId commit) {
    return new TouchedListing(
        context, relative -> true, name -> PartFileName.belongsTo(name, commit.id()));
  }

  /** Finds them in the table's whole folder, without those of other tables inside it. */
  public void runOnTable(FileSink sink) throws IOException, InterruptedException {
    run(List.of(""), new InnerTables(context).without(sink));
  }

  public void run(Collection<String> folders, FileSink sink)
      throws IOException, InterruptedException {
    TablePaths paths = context.paths();
    List<String> inside = new ArrayList<>();
    List<String> outside = new ArrayList<>();
    for (String folder : folders) {
      (RecordNames.isOutside(folder) ? outside : inside).add(folder);
    }
    List<String> prefixes = prefixes(inside);
    FolderScan scan = new FolderScan(pages(paths.root()), paths.records().prefix(), prefixes);
    FolderScan.Keys keys = object -> found(paths.root(), object, sink);
    int before = 0;
    while (before < prefixes.size() && summaries.contains(prefixes.get(before))) {
      before++;
    }
    if (!scan.done()) {
      scan.page(keys);
    }
    if (before > 0 && !scan.done() && scan.covered() <= before) {
      // The table's records filled the page, so it says nothing about the folders.
      scan.page(keys);
    }
    List<FolderScan> parts =
        prefixes.size() == 1
            ? divided(scan)
            : split(scan, prefixes.size(), scan.covered() - before);
    context.runner().each(parts.iterator(), part -> finish(part, keys));
    context.runner().each(outside.iterator(), folder -> finish(folder, sink));
  }

  /** Divides the rest of one folder, by the number of written partitions on one page. */
  private List<FolderScan> divided(FolderScan scan) {
    List<String> ahead = written.stream().filter(key -> !scan.isPast(key)).toList();
    int density = Math.max(1, written.size() - ahead.size()) * PAGES_OF_A_PART;
    int parts = Math.min(SCANS_MAX, ahead.size() / density + 1);
    List<String> borders = new ArrayList<>();
    for (int i = 1; i < parts; i++) {
      borders.add(ahead.get((int) ((long) ahead.size() * i / parts)));
    }
    return scan.dividedAfter(borders);
  }

  /** Divides the other folders into scans, by the number of folders on one page. */
  private static List<FolderScan> split(FolderScan scan, int folders, int onPage) {
    int left = folders - scan.covered();
    int density = Math.max(1, onPage);
    int parts = Math.min(SCANS_MAX, (left + density - 1) / density);
    List<FolderScan> scans = new ArrayList<>();
    for (int i = 0; i < parts; i++) {
      int from = scan.covered() + (int) ((long) left * i / parts);
      int to = scan.covered() + (int) ((long) left * (i + 1) / parts);
      scans.add(scan.part(from, to));
    }
    return scans;
  }

  private static void finish(FolderScan scan, FolderScan.Keys keys)
      throws IOException, InterruptedException {
    while (!scan.done()) {
      scan.page(keys);
    }
  }

  private void finish(String folder, FileSink sink) throws IOException, InterruptedException {
    Location at = context.paths().folder(folder);
    FolderScan scan =
        new FolderScan(pages(at), at.prefix() + RecordNames.FOLDER + "/", List.of(at.prefix()));
    finish(scan, object -> found(at, object, sink));
  }

  private FolderScan.Pages pages(Location folder) {
    return new OrderedListing(context, folder)::after;
  }

  private void found(Location tree, ListedObject object, FileSink sink)
      throws IOException, InterruptedException {
    String relative = object.key().substring(tree.prefix().length());
    String name = name(relative);
    if (!shown.test(relative) || !counts.test(name)) {
      return;
    }
    int end = object.key().length() - name.length() - 1;
    Location folder = new Location(tree.bucket(), object.key().substring(0, Math.max(0, end)));
    sink.file(context.paths().partition(folder), new FileEntry(name, object.bytes()));
  }

  /**
   * The name of a file in its partition. It begins with the folder of its commit, if it is there.
   */
  private static String name(String relative) {
    int slash = relative.lastIndexOf('/');
    int before = relative.lastIndexOf('/', slash - 1);
    String two = relative.substring(before + 1);
    String name = relative.substring(slash + 1);
    return PartFileName.withoutFolder(two).equals(name) ? two : name;
  }

  /**
   * True for keys that are not data files: those at hidden places, folder markers, which end in a
   * slash or are named as by EMRFS, and unfinished copies.
   */
  public static boolean isHidden(String relative) {
    return !isShownBySome(relative) || isUnfinishedCopy(relative);
  }

  private static boolean isShownBySome(String relative) {
    return !relative.endsWith(FOLDER_MARK) && !isAtHiddenPlace(relative);
  }

  /** True for the key or the name of a file whose copy to the table was not completed. */
  public static boolean isUnfinishedCopy(String key) {
    return key.endsWith(UNFINISHED_COPY);
  }

  /** True if a name in the path is empty, or begins with _ or . and is not a partition. */
  public static boolean isAtHiddenPlace(String relative) {
    for (String segment : relative.split("/", -1)) {
      boolean marked = segment.startsWith("_") || segment.startsWith(".");
      if (segment.isEmpty() || marked && segment.indexOf('=') < 0) {
        return true;
      }
    }
    return false;
  }

  /** Throws when a partition is in a folder whose files no listing shows. */
  public static void requireShown(TablePaths paths, Collection<String> partitions)
      throws InvalidConfigException {
    for (String partition : partitions) {
      boolean inside = !RecordNames.isOutside(partition) && !partition.isEmpty();
      if (inside && isAtHiddenPlace(partition)) {
        throw UsageErrors.partitionInHiddenFolder(paths.root(), partition);
      }
    }
  }

  /** The prefixes of the folders in the order of their keys, without folders inside others. */
  private List<String> prefixes(List<String> folders) {
    List<String> sorted = new ArrayList<>();
    for (String folder : folders) {
      sorted.add(context.paths().folder(folder).prefix());
    }
    if (!folders.isEmpty()) {
      sorted.addAll(summaries);
    }
    sorted.sort(Utf8Order.KEYS);
    return FoldersListing.outermost(sorted);
  }
}
