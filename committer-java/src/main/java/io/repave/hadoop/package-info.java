/**
 * The Hadoop layer: the {@code repave://} file system, uploads, settings and committers.
 *
 * <p>It uses the core and Hadoop, and is the only layer that opens the S3 store. It does not use
 * Spark.
 */
package io.repave.hadoop;
