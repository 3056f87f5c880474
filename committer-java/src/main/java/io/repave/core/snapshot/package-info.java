/** What a table holds at a version: manifests, checkpoints, the history, live files in order. */
package io.repave.core.snapshot;
