/**
 * The test kit. {@link io.repave.testing.TestTable} is a table in memory with jobs that write to
 * it; {@link io.repave.testing.TestPorts} builds the ports of a process; {@link
 * io.repave.testing.InterceptingStore} changes or fails single calls of a store; {@link
 * io.repave.testing.FaultyObjectStore} fails calls on a schedule. {@link
 * io.repave.testing.ObjectStoreContract} is what the protocol requires of a store.
 */
package io.repave.testing;
