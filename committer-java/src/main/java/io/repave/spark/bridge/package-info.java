/** How Java calls Spark: Scala's classes, and what differs between the versions of Spark. */
package io.repave.spark.bridge;
