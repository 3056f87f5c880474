package io.repave.testing;

/**
 * What the protocol requires of a store, as tests. The test of a backend implements this interface
 * and {@link #storeUnderTest}, so the same tests run in memory and over HTTP.
 */
public interface ObjectStoreContract
    extends ReadWriteContract,
        KeyContract,
        ConditionContract,
        ListContract,
        UploadContract,
        UploadListContract,
        DeleteContract {}
