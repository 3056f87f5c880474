/** Followers: pointers of readers that do not read the head. */
package io.repave.core.follow;
