/**
 * The commit protocol: its records, its steps and the port to an object store.
 *
 * <p>Knows the JDK, Jackson and itself. Clock, identifiers and randomness are passed in and threads
 * come with the store, so that a simulation owns every source of surprise.
 */
package io.repave.core;
