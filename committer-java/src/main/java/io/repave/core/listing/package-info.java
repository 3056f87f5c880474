/**
 * Listings of a store: the files in a table's folders, nested tables, open uploads, and what is in
 * the way of a table in a folder.
 */
package io.repave.core.listing;
