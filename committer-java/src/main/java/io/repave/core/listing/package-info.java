/** What lies in the table's folders: listings of files, of nested tables and of open uploads. */
package io.repave.core.listing;
