/**
 * The exceptions that a caller has to distinguish, and the messages of all that the core throws:
 * {@code CommitErrors}, {@code ConflictErrors}, {@code RecordErrors}, {@code FormatErrors} and
 * {@code UsageErrors}. Each message names the problem, its cause and what to do next. Arguments are
 * strings and objects whose {@code toString} is shown, so that this package needs no other.
 */
package io.repave.core.error;
