/**
 * The protocol's object store over S3.
 *
 * <p>Knows the core, Hadoop's S3A connector and the AWS SDK, and is the only layer that knows HTTP.
 * It knows nothing of jobs, Spark or the {@code repave://} file system.
 */
package io.repave.s3;
