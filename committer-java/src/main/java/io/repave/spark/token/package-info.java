/** Which writes are the same write: tokens, runs, and blocks of write options. */
package io.repave.spark.token;
