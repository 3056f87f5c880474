/**
 * What the engine and the uploads take from this JVM: threads, time, temporary files, and requests
 * that are repeated.
 */
package io.repave.hadoop.runtime;
