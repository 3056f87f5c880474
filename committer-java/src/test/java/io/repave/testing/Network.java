package io.repave.testing;

import io.repave.core.store.StoreException;
import io.repave.testing.AcceptingStore.Landing;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;

/**
 * The requests that are under way between the processes of a simulated world and their store.
 * Requests outlive the process that sent them, but not their lifetime in virtual time.
 */
public final class Network {
  private record Flight(long due, long deadline, Landing landing) {}

  private final List<Flight> flights = new ArrayList<>(2);
  private final VirtualClock clock;
  private final long lifetimeMillis;
  private long calls;

  public Network(VirtualClock clock, long lifetimeMillis) {
    this.clock = clock;
    this.lifetimeMillis = lifetimeMillis;
    clock.onAdvance(now -> deliver(flight -> flight.deadline <= now));
  }

  /** A call of any process starts. Delivers the requests that are due before it. */
  synchronized void call() {
    calls++;
    if (!flights.isEmpty()) {
      deliver(flight -> flight.due < calls);
    }
  }

  /** Keeps a request that lands after {@code later} further calls, or when its lifetime ends. */
  synchronized void send(int later, Landing landing) {
    flights.add(new Flight(calls + later, clock.tickMillis() + lifetimeMillis, landing));
  }

  public synchronized int underWay() {
    return flights.size();
  }

  /** Delivers everything, in the order of sending. */
  public synchronized void deliverAll() {
    deliver(flight -> true);
  }

  /** Delivers the request at {@code index}, in the order of sending. */
  public synchronized void deliver(int index) {
    land(flights.remove(index));
  }

  private synchronized void deliver(Predicate<Flight> due) {
    for (Iterator<Flight> each = flights.iterator(); each.hasNext(); ) {
      Flight flight = each.next();
      if (due.test(flight)) {
        each.remove();
        land(flight);
      }
    }
  }

  private static void land(Flight flight) {
    try {
      flight.landing.land();
    } catch (StoreException refused) {
      // The sender no longer waits for the answer.
    }
  }
}
