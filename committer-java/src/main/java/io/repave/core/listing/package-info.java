/** Listings of a store: the files in a table's folders, nested tables, and open uploads. */
package io.repave.core.listing;
