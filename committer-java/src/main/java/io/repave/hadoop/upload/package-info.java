/**
 * Files on their way to the store: the stream that a writer fills, the memory that all streams of a
 * JVM share, and the task attempt that waits for them.
 */
package io.repave.hadoop.upload;
