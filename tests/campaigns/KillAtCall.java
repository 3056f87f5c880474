import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.metastore.MetaStoreEventListener;
import org.apache.hadoop.hive.metastore.MetaStorePreEventListener;
import org.apache.hadoop.hive.metastore.events.AddPartitionEvent;
import org.apache.hadoop.hive.metastore.events.AlterPartitionEvent;
import org.apache.hadoop.hive.metastore.events.AlterTableEvent;
import org.apache.hadoop.hive.metastore.events.CreateTableEvent;
import org.apache.hadoop.hive.metastore.events.DropPartitionEvent;
import org.apache.hadoop.hive.metastore.events.PreEventContext;

/** Ends the JVM before or after the call of a Hive metastore that a system property names. */
public final class KillAtCall {
  private KillAtCall() {}

  private static void at(String moment, String call) {
    if (call.equals(System.getProperty("kill." + moment))) {
      Runtime.getRuntime().halt(137);
    }
  }

  /** Is asked before the transaction of a call. */
  public static final class Before extends MetaStorePreEventListener {
    public Before(Configuration conf) {
      super(conf);
    }

    @Override
    public void onEvent(PreEventContext context) {
      at("before", context.getEventType().name());
    }
  }

  /** Is told after the transaction of a call. */
  public static final class After extends MetaStoreEventListener {
    public After(Configuration conf) {
      super(conf);
    }

    @Override
    public void onCreateTable(CreateTableEvent event) {
      at("after", "CREATE_TABLE");
    }

    @Override
    public void onAlterTable(AlterTableEvent event) {
      at("after", "ALTER_TABLE");
    }

    @Override
    public void onAddPartition(AddPartitionEvent event) {
      at("after", "ADD_PARTITION");
    }

    @Override
    public void onAlterPartition(AlterPartitionEvent event) {
      at("after", "ALTER_PARTITION");
    }

    @Override
    public void onDropPartition(DropPartitionEvent event) {
      at("after", "DROP_PARTITION");
    }
  }
}
