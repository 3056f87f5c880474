package io.repave;

import io.repave.core.record.FollowerKind;

/**
 * How far a follower is.
 *
 * @param version the newest version that its readers see; 0 before the first one
 * @param behind by how many versions it is behind the table
 */
public record FollowerStatus(FollowerKind follower, long version, long behind) {}
