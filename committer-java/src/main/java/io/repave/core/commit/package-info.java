/**
 * How a commit is made: begin, the eight steps in {@link io.repave.core.commit.CommitSequence},
 * revert, recovery and abort.
 */
package io.repave.core.commit;
