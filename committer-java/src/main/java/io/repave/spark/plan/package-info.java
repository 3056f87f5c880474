/** Plans Spark's queries of snapshot tables from the records, in place of listed folders. */
package io.repave.spark.plan;
