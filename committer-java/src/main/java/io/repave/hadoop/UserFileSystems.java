package io.repave.hadoop;

import io.repave.hadoop.runtime.InterruptibleCall;
import io.repave.s3.BucketFileSystems;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.UnsupportedFileSystemException;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * The file systems of one scheme, as the user who creates this object. The first request to a
 * bucket may come from a thread of a pool which another user's job has started. There, Hadoop would
 * give the file system, and so the credentials, of that user.
 */
final class UserFileSystems implements BucketFileSystems {
  private final Configuration conf;
  private final String scheme;
  private final UserGroupInformation user;

  /** Keeps file systems open while a store that uses them is reachable. */
  private final Queue<SharedFileSystems.Share> shares = new ConcurrentLinkedQueue<>();

  UserFileSystems(Configuration conf, String scheme) {
    this.conf = conf;
    this.scheme = scheme;
    try {
      user = UserGroupInformation.getCurrentUser();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public FileSystem of(String bucket) throws IOException {
    URI uri = URI.create(scheme + "://" + bucket);
    return as(user, uri, () -> open(uri));
  }

  /** Opens something over the file system of a place, as a user. */
  static <T> T as(UserGroupInformation user, URI place, PrivilegedExceptionAction<T> open)
      throws IOException {
    return InterruptibleCall.run(
        "Interrupted while opening the file system of " + place + ".", () -> user.doAs(open));
  }

  private FileSystem open(URI uri) throws IOException {
    try {
      if (!SharedFileSystems.isCacheOff(uri, conf)) {
        return FileSystem.get(uri, conf);
      }
      SharedFileSystems.Share share = SharedFileSystems.OF_JVM.of(uri, conf);
      shares.add(share);
      return share.files();
    } catch (UnsupportedFileSystemException e) {
      throw SettingErrors.noFileSystem(scheme, e);
    }
  }
}
