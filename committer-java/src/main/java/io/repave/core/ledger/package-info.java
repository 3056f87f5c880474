/** What tasks report to the driver: the uploads of each task, in a compact form. */
package io.repave.core.ledger;
