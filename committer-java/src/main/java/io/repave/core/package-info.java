/**
 * The commit protocol. {@link io.repave.core.Table} is the way in; each package holds one concern.
 *
 * <p>The core uses the JDK, Jackson and itself. Clock, identifiers and randomness are passed in,
 * and threads come with the store, so that a simulation controls everything that can vary.
 */
package io.repave.core;
