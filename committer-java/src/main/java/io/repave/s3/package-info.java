/**
 * The protocol's object store over S3.
 *
 * <p>It uses the core, Hadoop's S3A connector and the AWS SDK, and is the only layer that knows
 * HTTP. It does not know jobs, Spark or the {@code repave://} file system.
 *
 * <p>The layers above use these classes:
 *
 * <ul>
 *   <li>{@code S3Stores.open(bucket -> fileSystem)} opens the {@link
 *       io.repave.core.store.ObjectStore}. The function is called once per bucket, at its first
 *       use. It must return an {@code S3AFileSystem} (or a {@code FilterFileSystem} over one) as
 *       the user configured it for that bucket. The store sends every request through that file
 *       system's own SDK client, so credentials, endpoint, proxy, encryption and per-bucket
 *       settings apply. The store has nothing to close. The provider of the file systems closes
 *       them after the last call.
 *   <li>{@code S3Stores.openGuarded} does the same for jobs that may write a table's first head,
 *       and tests the store before that. {@code S3Stores.openForSingleWriter} needs no conditional
 *       writes.
 *   <li>{@code CapabilityProbe} tests a store on demand.
 * </ul>
 *
 * <p>Classes: {@code S3ObjectStore} implements the port, {@code Bucket} decides what a response
 * means, {@code SdkOneBucket} and {@code SdkTwoBucket} send requests by one generation of the SDK,
 * and {@code S3ErrorMapper} maps errors to what is known of a request's effect.
 *
 * <p>Decisions: {@code docs/decisions/0002} (which client sends each request), {@code 0003} (when a
 * store is tested).
 */
package io.repave.s3;
