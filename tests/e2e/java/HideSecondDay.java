import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;

/** A filter of paths that Spark applies to the files that it lists. */
public class HideSecondDay implements PathFilter {
  @Override
  public boolean accept(Path path) {
    return !path.toString().contains("day=2");
  }
}
