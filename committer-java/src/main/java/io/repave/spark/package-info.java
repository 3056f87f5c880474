/**
 * Spark's side: the commit protocol that Spark calls, as thin as it can be.
 *
 * <p>Knows Spark, the Hadoop layer and the core. It never reaches the S3 layer by itself.
 */
package io.repave.spark;
