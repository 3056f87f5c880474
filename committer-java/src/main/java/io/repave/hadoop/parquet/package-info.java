/** Writes rows as Parquet files with parquet-hadoop, where it is on the class path. */
package io.repave.hadoop.parquet;
