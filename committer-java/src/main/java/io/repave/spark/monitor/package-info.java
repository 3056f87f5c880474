/**
 * What users see of a commit: log lines, metrics, and its progress in a notebook.
 *
 * <p>Nothing here decides anything; a failure here fails no write.
 */
package io.repave.spark.monitor;
