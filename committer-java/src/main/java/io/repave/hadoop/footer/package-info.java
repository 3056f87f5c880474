/** What the end of a Parquet file says of its content, read from hostile bytes. */
package io.repave.hadoop.footer;
