/** The records under {@code _repave/}: their data, their JSON and their names. */
package io.repave.core.record;
