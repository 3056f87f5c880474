/**
 * The commands of the command line and of Python: each calls {@link io.repave.RepaveTable} and
 * answers with JSON.
 */
package io.repave.spark.command;
