/**
 * The commit protocol. {@link io.repave.core.Table} is the entry point; each package has one
 * concern.
 *
 * <p>The core uses the JDK, Jackson and itself. The clock, identifiers, randomness and threads are
 * passed in, so that a simulation controls everything that can vary.
 */
package io.repave.core;
