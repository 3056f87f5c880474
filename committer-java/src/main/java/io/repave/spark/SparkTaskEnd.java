package io.repave.spark;

import io.repave.hadoop.runtime.TaskEnd;
import io.repave.spark.bridge.SneakyThrow;
import java.io.IOException;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;

/** The end of a task of Spark. */
public final class SparkTaskEnd implements TaskEnd {
  @Override
  public void await(Work work) {
    TaskContext task;
    try {
      task = TaskContext.get();
    } catch (LinkageError withoutSpark) {
      return; // MapReduce, whose tasks have a process of their own
    }
    if (task != null) {
      TaskCompletionListener listener =
          context -> {
            try {
              work.run();
            } catch (IOException e) {
              throw SneakyThrow.as(e);
            }
          };
      task.addTaskCompletionListener(listener);
    }
  }
}
