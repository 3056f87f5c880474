package io.repave.testing;

/**
 * What the protocol relies on in a store, as tests. A backend's test implements this and answers
 * {@link #storeUnderTest}; the same tests then run over memory and over HTTP.
 */
public interface ObjectStoreContract
    extends ReadWriteContract,
        KeyContract,
        ConditionContract,
        ListContract,
        UploadContract,
        UploadListContract,
        DeleteContract {}
