/**
 * The simulation: the real engine over a store in memory, with faults at any call and any order of
 * processes, and a checker that looks at the table after every call. See docs/simulation.md.
 */
package io.repave.sim;
