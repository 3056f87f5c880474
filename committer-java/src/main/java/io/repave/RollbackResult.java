package io.repave;

/**
 * The commit that restored an earlier version.
 *
 * @param version the new version
 * @param commit the name of the commit's folder under {@code _repave/commits/}
 * @param filesIn files that are in the table again
 * @param filesOut files that are no longer in the table
 */
public record RollbackResult(long version, String commit, long filesIn, long filesOut) {}
