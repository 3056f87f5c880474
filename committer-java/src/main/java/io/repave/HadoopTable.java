package io.repave;

import io.repave.core.Table;
import io.repave.core.engine.Progress;
import io.repave.core.error.InvalidConfigException;
import io.repave.hadoop.Setting;
import io.repave.hadoop.StoreFindings;
import io.repave.hadoop.TableAccess;
import java.io.IOException;

/** A table that Hadoop's configuration leads to. */
record HadoopTable(TableAccess access, Progress progress) implements TableSource {
  @Override
  public Table table() throws IOException {
    return access.table(progress);
  }

  @Override
  public Table tableToBegin() throws IOException {
    return access.tableToBegin(progress);
  }

  @Override
  public void requireWholeTable() throws InvalidConfigException {
    if (!access.folder().isEmpty()) {
      throw TableErrors.partition(access.root(), access.folder());
    }
  }

  @Override
  public long retentionMillis() throws IOException {
    return access.settings().millis(Setting.RETENTION);
  }

  @Override
  public StoreFindings tryOutStore() throws IOException, InterruptedException {
    return access.tryOutStore();
  }
}
