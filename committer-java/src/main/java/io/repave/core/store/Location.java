package io.repave.core.store;

import java.util.Objects;

/**
 * A place in an object store: a bucket and a key, or a folder when the key is a prefix. A key never
 * starts with a slash, a folder's key never ends with one, and the key of the bucket's root is "".
 */
public record Location(String bucket, String key) {
  public Location {
    Objects.requireNonNull(bucket, "bucket");
    Objects.requireNonNull(key, "key");
    if (bucket.isEmpty() || bucket.indexOf('/') >= 0) {
      throw new IllegalArgumentException("not a bucket name: '" + bucket + "'");
    }
    if (key.startsWith("/")) {
      throw new IllegalArgumentException("a key must not start with a slash: '" + key + "'");
    }
  }

  /** The place {@code relative} below this folder; this folder itself for "". */
  public Location resolve(String relative) {
    if (relative.isEmpty()) {
      return this;
    }
    return new Location(bucket, key.isEmpty() ? relative : key + "/" + relative);
  }

  /** The prefix of every key in this folder; it ends in a slash, so dt=1 does not match dt=10. */
  public String prefix() {
    return key.isEmpty() || key.endsWith("/") ? key : key + "/";
  }

  /** True for a place strictly inside this folder. */
  public boolean holds(Location other) {
    return bucket.equals(other.bucket)
        && other.key.length() > prefix().length()
        && other.key.startsWith(prefix());
  }

  /** The path of a place inside this folder, relative to it. */
  public String relative(Location inside) {
    if (!holds(inside)) {
      throw new IllegalArgumentException(inside + " is not inside " + this);
    }
    return inside.key.substring(prefix().length());
  }

  /** The last part of the path. */
  public String name() {
    return key.substring(key.lastIndexOf('/') + 1);
  }

  /** The folder that this place is in; the bucket's root for a place in it. */
  public Location parent() {
    return new Location(bucket, key.substring(0, Math.max(0, key.lastIndexOf('/'))));
  }

  @Override
  public String toString() {
    return "s3://" + bucket + "/" + key;
  }
}
