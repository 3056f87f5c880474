/**
 * What a session knows about tables in addition to their files: the names and partitions in its
 * catalog, and its cached frames.
 *
 * <p>A write replaces partitions that the catalog has elsewhere, adds new ones, and brings a name
 * to the newest version.
 */
package io.repave.spark.catalog;
