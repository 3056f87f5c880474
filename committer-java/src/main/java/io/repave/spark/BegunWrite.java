package io.repave.spark;

import io.repave.core.record.Readers;
import java.io.Serializable;

/**
 * What the tasks of a write need to know after its job began.
 *
 * @param records the key of the folder with the commit's records
 * @param folder the folder of its files in each partition; "" for the partition's own
 * @param readers the table's readers, which decide how tasks write
 */
record BegunWrite(WriteTarget target, String records, String folder, Readers readers)
    implements Serializable {
  private static final long serialVersionUID = 1L;
}
