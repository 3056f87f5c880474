package io.repave.testing;

/** The base of every chapter of the contract. */
public interface StoreContract {
  /** The backend. Each test asks once, and several tests may get the same one. */
  StoreUnderTest storeUnderTest();

  /** A new folder of its own for one test. */
  default Sandbox sandbox() {
    return new Sandbox(storeUnderTest());
  }
}
