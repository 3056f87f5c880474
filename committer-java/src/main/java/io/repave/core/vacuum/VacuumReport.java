package io.repave.core.vacuum;

/**
 * What a vacuum removed, or would remove: uploads that nobody will complete, files that no version
 * needs, records of commits that were never decided. Files that are not Repave's stay.
 */
public record VacuumReport(
    long uploads, long files, long bytes, long records, long oldestVersion) {}
