/**
 * How a commit is made: begin, the nine steps in {@link io.repave.core.commit.CommitSequence},
 * revert, recovery and abort.
 */
package io.repave.core.commit;
