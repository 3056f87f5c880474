package io.repave.spark.plan;

import java.util.Map;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.datasources.FileStatusCache;
import scala.Option;

/** The files of folders that Spark need not list. It lists others, and nothing of them is kept. */
final class KnownFiles extends FileStatusCache {
  private final Map<Path, FileStatus[]> byFolder;

  KnownFiles(Map<Path, FileStatus[]> byFolder) {
    this.byFolder = byFolder;
  }

  @Override
  public Option<FileStatus[]> getLeafFiles(Path folder) {
    return Option.apply(byFolder.get(folder));
  }

  @Override
  public void putLeafFiles(Path folder, FileStatus[] files) {}

  @Override
  public void invalidateAll() {}
}
