/**
 * What the records say about a table: commit manifests, checkpoints, the history, and the live
 * files of a version.
 */
package io.repave.core.snapshot;
