package io.repave.spark;

import io.repave.core.record.Readers;
import io.repave.spark.write.WriteTarget;
import java.io.Serializable;

/**
 * What the tasks of a write need to know after its job began.
 *
 * @param records the key of the folder with the commit's records
 * @param folder the folder of its files in each partition; "" for the partition's own
 * @param readers the table's readers
 */
record BegunWrite(WriteTarget target, String records, String folder, Readers readers)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  /**
   * For whom tasks write. Readers of a catalog list the folder of a commit, so only the commit may
   * make files visible there: those of lost attempts would double their rows.
   */
  Readers readersOfFolder() {
    return folder.isEmpty() ? readers : Readers.LISTING;
  }
}
