import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Iterator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.map.TokenCounterMapper;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * A MapReduce job of either API: {@code CountWords [-D key=value]… old|new INPUT OUTPUT}. At its
 * end each reducer counts the files that readers see. The sum is printed.
 */
public final class CountWords extends Configured implements Tool {
  private static final String SEEN = "seen";
  private static final int REDUCERS = 2;

  public static void main(String[] words) throws Exception {
    System.exit(ToolRunner.run(new CountWords(), words));
  }

  @Override
  public int run(String[] words) throws Exception {
    Path input = new Path(words[1]);
    Path output = new Path(words[2]);
    return words[0].equals("old") ? runOld(input, output) : runNew(input, output);
  }

  private int runNew(Path input, Path output) throws Exception {
    Job job = Job.getInstance(getConf());
    job.setMapperClass(TokenCounterMapper.class);
    job.setReducerClass(Sum.class);
    job.setNumReduceTasks(REDUCERS);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    FileInputFormat.addInputPath(job, input);
    FileOutputFormat.setOutputPath(job, output);
    boolean done = job.waitForCompletion(true);
    System.out.println("seen " + job.getCounters().findCounter(SEEN, SEEN).getValue());
    return done ? 0 : 1;
  }

  private int runOld(Path input, Path output) throws IOException {
    JobConf job = new JobConf(getConf());
    job.setMapperClass(org.apache.hadoop.mapred.lib.TokenCountMapper.class);
    job.setReducerClass(OldSum.class);
    job.setNumReduceTasks(REDUCERS);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
    org.apache.hadoop.mapred.FileInputFormat.addInputPath(job, input);
    org.apache.hadoop.mapred.FileOutputFormat.setOutputPath(job, output);
    System.out.println(
        "seen " + JobClient.runJob(job).getCounters().findCounter(SEEN, SEEN).getValue());
    return 0;
  }

  private static long visible(Configuration conf) throws IOException {
    Path output = new Path(conf.get("mapreduce.output.fileoutputformat.outputdir"));
    try {
      long files = 0;
      for (FileStatus each : output.getFileSystem(conf).listStatus(output)) {
        files += each.getPath().getName().startsWith("_") ? 0 : 1;
      }
      return files;
    } catch (FileNotFoundException e) {
      return 0;
    }
  }

  /** Of the new API. */
  public static final class Sum extends org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer<Text> {
    @Override
    protected void cleanup(Reducer<Text, IntWritable, Text, IntWritable>.Context context)
        throws IOException {
      context.getCounter(SEEN, SEEN).increment(visible(context.getConfiguration()));
    }
  }

  /** Of the old API. */
  public static final class OldSum extends org.apache.hadoop.mapred.lib.LongSumReducer<Text> {
    private JobConf conf;

    @Override
    public void configure(JobConf job) {
      conf = job;
    }

    @Override
    public void reduce(
        Text key,
        Iterator<LongWritable> values,
        OutputCollector<Text, LongWritable> output,
        Reporter reporter)
        throws IOException {
      super.reduce(key, values, output, reporter);
      reporter.getCounter(SEEN, SEEN).increment(visible(conf));
    }
  }
}
