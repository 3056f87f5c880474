/**
 * Hadoop's side: the {@code repave://} file system, the upload stream, settings and committers.
 *
 * <p>Knows the core and Hadoop, and alone wires the S3 store in. It knows nothing of Spark.
 */
package io.repave.hadoop;
