/**
 * Guards (repave.only, repave.shrink): what a job must not touch, and how far a partition must not
 * shrink.
 */
package io.repave.core.guard;
