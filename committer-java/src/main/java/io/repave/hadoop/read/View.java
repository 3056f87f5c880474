package io.repave.hadoop.read;

import io.repave.core.store.Location;
import java.io.IOException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;

/** What a reader finds at a place. Every method throws FileNotFoundException when nothing is. */
public interface View {
  FileStatus status(Location at) throws IOException;

  /** What lies right in a folder, or the file itself. */
  FileStatus[] list(Location at) throws IOException;

  /** All files below a folder, however deep. */
  RemoteIterator<LocatedFileStatus> files(Location at) throws IOException;
}
