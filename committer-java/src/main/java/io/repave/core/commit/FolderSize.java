package io.repave.core.commit;

/** A folder of a table, and the data files in it and below it. */
public record FolderSize(String folder, long files, long bytes) {
  /** The same folder with one file more. */
  public FolderSize plus(long fileBytes) {
    return new FolderSize(folder, files + 1, bytes + fileBytes);
  }
}
