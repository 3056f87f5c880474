package io.repave.hadoop.read;

import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * The files of a folder without a head: all that are in the store. If the head was deleted, a
 * snapshot table would show replaced and unpublished files, so a listing is refused: of the table's
 * folder, of its {@code key=value} folders, and of all files below a folder above it.
 *
 * <p>A listing of the table's own folder, or a bulk listing above it, shows whether there are
 * records. So this costs requests only where there are some, and for the folders of a table.
 */
final class UnrecordedView implements TableView {
  private final TableView files;
  private final TableRecords records;

  UnrecordedView(TableView files, TableRecords records) {
    this.files = files;
    this.records = records;
  }

  @Override
  public FileStatus status(Location at) throws IOException {
    return files.status(at);
  }

  @Override
  public FileStatus[] list(Location at) throws IOException {
    FileStatus[] found = files.list(at);
    requireHeadNotDeleted(at, Arrays.asList(found));
    return found;
  }

  @Override
  public RemoteIterator<LocatedFileStatus> files(Location at) throws IOException {
    List<LocatedFileStatus> found = RemoteIterators.toList(files.files(at));
    requireHeadNotDeleted(at, found);
    return RemoteIterators.remoteIteratorFromIterable(found);
  }

  private void requireHeadNotDeleted(Location at, List<? extends FileStatus> found)
      throws IOException {
    Set<Location> tables = new HashSet<>();
    for (FileStatus each : found) {
      Location record = StorePath.location(each.getPath());
      TablePaths.ofRecord(record).map(TablePaths::root).ifPresent(tables::add);
    }
    Location own = TablePaths.of(at).root();
    if (!own.equals(at) && !found.isEmpty()) {
      tables.add(own);
    }
    for (Location table : tables) {
      records.requireHeadNotDeleted(table);
    }
  }
}
