/**
 * The exceptions that a caller has to distinguish, and the messages of all that the core throws, in
 * the classes {@code *Errors}. Each message names the problem, its cause and what to do next.
 * Arguments are strings and objects whose {@code toString} is shown, so that this package needs no
 * other.
 */
package io.repave.core.error;
