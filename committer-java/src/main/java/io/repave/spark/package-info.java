/**
 * The Spark layer: the commit protocol that Spark calls, and the commands of the command line.
 *
 * <p>It uses Spark, the Hadoop layer and the core. It does not use the S3 layer.
 */
package io.repave.spark;
