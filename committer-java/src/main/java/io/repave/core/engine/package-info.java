/**
 * What every operation works with: ports, settings, the head and its compare-and-swap, retries,
 * metrics and progress, and the requests and results of the engine.
 */
package io.repave.core.engine;
