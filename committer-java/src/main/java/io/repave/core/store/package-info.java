/** The ports to an object store, a clock, threads and temporary space. */
package io.repave.core.store;
