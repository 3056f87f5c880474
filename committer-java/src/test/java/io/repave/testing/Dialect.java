package io.repave.testing;

/**
 * How S3 servers differ where the difference can harm a commit. Every value was seen on a real
 * server or is documented by one.
 */
public record Dialect(Uploads uploads, Conditions conditions, Tags tags, Pages pages) {

  /** How the server treats uploads. */
  public record Uploads(Abort abort, Replay replay, Meanwhile meanwhile) {}

  /** What an acknowledged abort says of a Complete that the server accepted before it. */
  public enum Abort {
    /** Nothing: that Complete may still land, as on AWS. */
    WEAK,
    /** That Complete fails. */
    STRONG
  }

  /** The answer to a second Complete of an upload. It never creates the object again. */
  public enum Replay {
    /** Success, even when the object was deleted or replaced since, as on AWS. */
    SAME_200,
    /** NoSuchUpload, as for an upload that never existed. */
    ABSENT,
    /** A 500, as for an upload that never existed. */
    UNKNOWN
  }

  /** A PUT or a DELETE of the key between an upload's start and its Complete. */
  public enum Meanwhile {
    /** It may hide the upload, as on AWS: its Complete succeeds, and no object appears. */
    WINS,
    /** The object of the upload takes its place. */
    LOSES
  }

  /** How the server treats If-Match and If-None-Match. */
  public enum Conditions {
    ATOMIC,
    /** Ignored: the write always succeeds. This is the most dangerous kind of store. */
    IGNORED,
    /** Answered with 400 or 501: nothing is written. */
    REJECTED
  }

  /** How the server computes an etag. */
  public enum Tags {
    /** The same content has the same tag, so a tag can come back (A, B, A). */
    CONTENT,
    /** Every write has a tag of its own. */
    COUNTER
  }

  /**
   * Pages of listings: at most {@code most} entries; with {@code uneven}, a number drawn from
   * {@code seed} for each page, which may be 0 while more entries follow.
   */
  public record Pages(int most, boolean uneven, long seed) {
    public static final Pages FULL = new Pages(1000, false, 0);

    public static Pages of(int most) {
      return new Pages(most, false, 0);
    }

    public static Pages uneven(int most, long seed) {
      return new Pages(most, true, seed);
    }
  }

  /** Amazon S3. */
  public static final Dialect AWS = of(new Uploads(Abort.WEAK, Replay.SAME_200, Meanwhile.WINS));

  /** MinIO and LocalStack: a consumed upload is forgotten. */
  public static final Dialect FORGETFUL =
      of(new Uploads(Abort.STRONG, Replay.ABSENT, Meanwhile.LOSES));

  /** moto and Ceph: a consumed upload is an internal error. */
  public static final Dialect CONFUSED =
      of(new Uploads(Abort.STRONG, Replay.UNKNOWN, Meanwhile.LOSES)).with(Tags.COUNTER);

  private static Dialect of(Uploads uploads) {
    return new Dialect(uploads, Conditions.ATOMIC, Tags.CONTENT, Pages.FULL);
  }

  public Dialect with(Abort other) {
    return with(new Uploads(other, uploads.replay, uploads.meanwhile));
  }

  public Dialect with(Replay other) {
    return with(new Uploads(uploads.abort, other, uploads.meanwhile));
  }

  public Dialect with(Meanwhile other) {
    return with(new Uploads(uploads.abort, uploads.replay, other));
  }

  private Dialect with(Uploads other) {
    return new Dialect(other, conditions, tags, pages);
  }

  public Dialect with(Conditions other) {
    return new Dialect(uploads, other, tags, pages);
  }

  public Dialect with(Tags other) {
    return new Dialect(uploads, conditions, other, pages);
  }

  public Dialect with(Pages other) {
    return new Dialect(uploads, conditions, tags, other);
  }

  /** Short, for the names of tests and the output of simulations. */
  @Override
  public String toString() {
    String listing = pages.uneven ? pages.most + " uneven from " + pages.seed : "" + pages.most;
    return "%s abort, %s replay, put meanwhile %s, %s conditions, %s tags, pages of %s"
        .formatted(uploads.abort, uploads.replay, uploads.meanwhile, conditions, tags, listing);
  }
}
