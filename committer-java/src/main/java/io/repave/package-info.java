/**
 * The public API for programs in Java and Scala: {@link io.repave.RepaveTable} and the records that
 * it returns. All other packages are internal and may change in any version, except the exceptions
 * in {@code io.repave.core.error} and the types that this API names: the enums of the records,
 * {@link io.repave.core.ledger.ColumnBounds}, {@link io.repave.core.follow.Locations}, {@link
 * io.repave.core.follow.LocationCatalog} and {@link io.repave.core.engine.Progress}.
 */
package io.repave;
