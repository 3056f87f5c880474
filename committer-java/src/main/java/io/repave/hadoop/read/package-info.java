/** Reading a table by its records: pinned paths, snapshots and filtered listings. */
package io.repave.hadoop.read;
