package io.repave.core.ledger;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The names of data files: {@code part-<split>-<commit>-<attempt><suffix>}. No two attempts of a
 * task and no two commits use the same name, so a late request can only affect its own file.
 *
 * <p>While a catalog follows the table, the files of a commit are in a folder of their own in each
 * partition, and their names begin with it: {@code @<commit>/part-…}.
 */
public final class PartFileName {
  /**
   * Names of stock Spark are similar: they contain a UUID too, but no number after it. Python has
   * the same rule ({@code _uploads.py}).
   */
  private static final Pattern COMMIT =
      Pattern.compile(
          ".*?part-\\d{5,}-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-\\d+(?:[._-].*)?",
          Pattern.DOTALL);

  private static final Pattern FOLDER =
      Pattern.compile("@([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})");

  private PartFileName() {}

  /**
   * Builds a name. {@code attempt} is unique in the application that runs the commit; {@code
   * suffix} is what the engine appends ({@code .c000.snappy.parquet}, {@code _00001.c000…} for a
   * bucket). {@code prefix} may be the name of another commit's file, as when a job names its
   * output after its input. Then {@code part_} replaces its {@code part-}, so that the file belongs
   * to one commit only.
   */
  public static String of(String prefix, int split, String commit, long attempt, String suffix) {
    String own = String.format(Locale.ROOT, "part-%05d-%s-%d%s", split, commit, attempt, suffix);
    boolean isPlain = belongsTo(prefix + own, commit);
    return (isPlain ? prefix : prefix.replace("part-", "part_")) + own;
  }

  /** True for a name that {@link #of} built for this commit. A file belongs to one commit. */
  public static boolean belongsTo(String name, String commit) {
    return commitOf(name).filter(commit::equals).isPresent();
  }

  /** The folder of a commit's files in each partition. */
  public static String folderOf(String commit) {
    return "@" + commit;
  }

  /** True for the name of a folder that holds the files of one commit. */
  public static boolean isFolder(String segment) {
    return FOLDER.matcher(segment).matches();
  }

  /** The name of a file in a folder of its partition; {@code folder} is "" for the partition's. */
  public static String in(String folder, String name) {
    return folder.isEmpty() ? name : folder + "/" + name;
  }

  /** The folder of a file in its partition; "" for the partition's own. */
  public static String folderIn(String name) {
    return name.substring(0, Math.max(0, name.lastIndexOf('/')));
  }

  /** The name of a file without the folder of its own commit; any other folder stays. */
  public static String withoutFolder(String name) {
    Optional<String> commit = commitOf(name);
    String folder = commit.map(it -> folderOf(it) + "/").orElse("");
    return name.startsWith(folder) ? name.substring(folder.length()) : name;
  }

  /** The commit id in a file's name. Commit ids are UUIDs; empty for names without one. */
  public static Optional<String> commitOf(String name) {
    var parts = COMMIT.matcher(name);
    return parts.matches() ? Optional.of(parts.group(1)) : Optional.empty();
  }
}
