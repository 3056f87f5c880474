package io.repave.hadoop.upload;

/** How files are split: the size of every part but the last, the most parts, the spill folders. */
public record PartLimits(int partBytes, int partsMax, SpillFolders spill) {
  /** The most parts that S3 accepts in one upload. */
  public static final int S3_PARTS_MAX = 10_000;
}
