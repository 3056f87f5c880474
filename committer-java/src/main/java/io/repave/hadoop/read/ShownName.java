package io.repave.hadoop.read;

import io.repave.core.ledger.PartFileName;

/**
 * The name by which readers of {@code repave://} see a file in the folder of its commit:
 * {@code @<commit>~part-…} stands for {@code @<commit>/part-…}. Spark reads the files directly in a
 * table's folder or in that of a partition, and no others.
 */
public final class ShownName {
  private static final char MARK = '~';

  private ShownName() {}

  /** The shown form of a name in records. */
  static String of(String name) {
    String plain = PartFileName.withoutFolder(name);
    int folder = name.length() - plain.length();
    return folder == 0 ? name : name.substring(0, folder - 1) + MARK + plain;
  }

  /** The key of a file that is shown by this key. */
  public static String key(String shown) {
    String name = shown.substring(shown.lastIndexOf('/') + 1);
    int mark = name.startsWith("@") ? name.indexOf(MARK) : -1;
    if (mark < 0) {
      return shown;
    }
    String real = name.substring(0, mark) + "/" + name.substring(mark + 1);
    boolean own = PartFileName.withoutFolder(real).equals(name.substring(mark + 1));
    return own ? shown.substring(0, shown.length() - name.length()) + real : shown;
  }
}
