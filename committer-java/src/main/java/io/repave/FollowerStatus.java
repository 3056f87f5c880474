package io.repave;

import io.repave.core.record.FollowerKind;

/**
 * How far a follower is.
 *
 * @param name the table's name in a catalog; "" for a pointer in the table's own folder
 * @param version the newest version that its readers see; 0 before the first one
 * @param behind by how many versions it is behind the table
 */
public record FollowerStatus(FollowerKind follower, String name, long version, long behind) {}
