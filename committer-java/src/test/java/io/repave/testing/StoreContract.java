package io.repave.testing;

/** What every chapter of the contract starts from. */
public interface StoreContract {
  /** The backend. Asked once a test; it may answer the same every time. */
  StoreUnderTest storeUnderTest();

  /** A new folder of its own for one test. */
  default Sandbox sandbox() {
    return new Sandbox(storeUnderTest());
  }
}
