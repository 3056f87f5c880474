package io.repave.core.vacuum;

/**
 * What a vacuum deleted or would delete: uploads that no process will complete, files that no
 * version needs, and records: those of jobs that never committed, of commits whose history expired,
 * and checkpoints that are not used any more. Files of other writers stay.
 */
public record VacuumReport(
    long uploads, long files, long bytes, long records, long oldestVersion) {}
