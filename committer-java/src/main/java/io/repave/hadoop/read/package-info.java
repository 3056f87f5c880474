/** Reading a table through its records: pinned paths, snapshots and listings without loose ends. */
package io.repave.hadoop.read;
