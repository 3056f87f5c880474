/** Guards of a delivery: what a job must not touch, and how far a partition must not shrink. */
package io.repave.core.guard;
