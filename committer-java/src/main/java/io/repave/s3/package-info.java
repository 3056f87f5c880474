/**
 * The protocol's object store over S3.
 *
 * <p>Knows the core, Hadoop's S3A connector and the AWS SDK, and is the only layer that knows HTTP.
 * It knows nothing of jobs, Spark or the {@code repave://} file system.
 *
 * <p>The layers above use these:
 *
 * <ul>
 *   <li>{@code S3Stores.open(bucket -> fileSystem)} gives the {@link
 *       io.repave.core.store.ObjectStore}. The function is asked once per bucket, at the bucket's
 *       first use, and must give an {@code S3AFileSystem} (or a {@code FilterFileSystem} over one)
 *       as the user configured it for that bucket. The store sends every request through that file
 *       system's own SDK client, so credentials, endpoint, proxy, encryption and per-bucket
 *       settings hold. It owns nothing and has nothing to close; whoever gave the file systems
 *       closes them, after the last call.
 *   <li>{@code S3Stores.openGuarded} is the same for who may write a table's first head: it tries
 *       the store out before. {@code S3Stores.openForSingleWriter} needs no conditional writes.
 *   <li>{@code CapabilityProbe} tries a store out on demand.
 *   <li>{@code BoundedFan} and {@code SystemClock} are the engine's parallelism and time.
 * </ul>
 *
 * <p>Decisions: {@code docs/decisions/0002} (which door each request takes), {@code 0003} (when a
 * store is tried out).
 */
package io.repave.s3;
