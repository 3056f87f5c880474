/**
 * The public API for programs in Java and Scala: {@link io.repave.RepaveTable} and the records that
 * it returns. All other packages are internal and may change in any version, except the exceptions
 * in {@code io.repave.core.error} and the enums that these records name.
 */
package io.repave;
