/**
 * Tests of the whole engine through {@link io.repave.core.Table}, one class for each scenario. The
 * tests of a single class lie in the package of that class.
 */
package io.repave.core.scenario;
