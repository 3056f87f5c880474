/** Removes expired files, expired records and orphan files. */
package io.repave.core.vacuum;
