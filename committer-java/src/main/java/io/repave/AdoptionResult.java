package io.repave;

/**
 * The commit that made the records name exactly the files in the table's folders.
 *
 * @param table the table's folder, {@code s3://bucket/folder}; the path that the table was opened
 *     with may name a partition
 * @param version the new version
 * @param commit the name of the commit's folder under {@code _repave/commits/}
 * @param files files that were added to the records
 * @param bytes the size of the added files
 * @param gone files that no longer exist, and were removed from the records
 */
public record AdoptionResult(
    String table, long version, String commit, long files, long bytes, long gone) {}
