import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.lib.MultipleTextOutputFormat;

/** Writes the values of each key into a partition's folder. */
public final class ByDay extends MultipleTextOutputFormat<Text, Text> {
  @Override
  protected String generateFileNameForKeyValue(Text key, Text value, String name) {
    return "dt=" + key + "/" + name;
  }

  @Override
  protected Text generateActualKey(Text key, Text value) {
    return null;
  }
}
