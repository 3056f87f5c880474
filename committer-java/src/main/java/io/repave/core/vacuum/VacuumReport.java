package io.repave.core.vacuum;

/**
 * What a vacuum deleted or would delete: uploads that no process will complete, files that no
 * version needs, and records of commits that were never decided. Files of other writers stay.
 */
public record VacuumReport(
    long uploads, long files, long bytes, long records, long oldestVersion) {}
