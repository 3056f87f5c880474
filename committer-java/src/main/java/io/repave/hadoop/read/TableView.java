package io.repave.hadoop.read;

import io.repave.core.store.Location;
import java.io.IOException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * The files that a reader sees. Each method throws FileNotFoundException for an absent location.
 */
public interface TableView {
  FileStatus status(Location at) throws IOException;

  /** The direct children of a folder, or the file itself. */
  FileStatus[] list(Location at) throws IOException;

  /** All files below a folder, at any depth. */
  RemoteIterator<LocatedFileStatus> files(Location at) throws IOException;
}
