/**
 * How concurrent commits share a table. {@link io.repave.core.conflict.ConflictChecker} holds the
 * rules: which commit may be reserved, and which it has to wait for. The other classes wait, find
 * dead commits, and find out whether a reservation without an answer succeeded.
 */
package io.repave.core.conflict;
