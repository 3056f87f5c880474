package io.repave.hadoop.upload;

/** How files are cut: the size of every part but the last, the most parts, where overflow goes. */
public record PartLimits(int partBytes, int partsMax, SpillFolders spill) {
  /** What S3 accepts in one upload. */
  public static final int S3_PARTS_MAX = 10_000;
}
