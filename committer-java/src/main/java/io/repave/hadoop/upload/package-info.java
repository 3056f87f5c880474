/**
 * Uploading files: the stream that a writer fills, the memory that all streams of a JVM share, and
 * the task attempt that waits for the uploads.
 */
package io.repave.hadoop.upload;
