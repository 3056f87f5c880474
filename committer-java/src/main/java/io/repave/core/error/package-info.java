/** The exceptions that a caller has to tell apart. */
package io.repave.core.error;
