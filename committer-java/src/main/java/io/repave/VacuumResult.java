package io.repave;

/**
 * What a vacuum deleted, or would delete.
 *
 * @param isDryRun true when nothing was deleted
 * @param uploads uploads that no process will complete
 * @param records records of commits that are no longer needed
 * @param oldestVersion the oldest version that can be read afterwards
 */
public record VacuumResult(
    boolean isDryRun, long files, long bytes, long uploads, long records, long oldestVersion) {}
