import java.net.URI;
import org.apache.hadoop.fs.RawLocalFileSystem;

/** Local files under the scheme of HDFS. */
public final class LocalHdfs extends RawLocalFileSystem {
  private static final URI ROOT = URI.create("hdfs://namenode");

  @Override
  public URI getUri() {
    return ROOT;
  }

  @Override
  public String getScheme() {
    return ROOT.getScheme();
  }
}
