/**
 * Checks of a job before its decision: its guards (repave.only, repave.shrink), the folders that a
 * catalog's locations can name, and the files that its own query has read.
 */
package io.repave.core.guard;
