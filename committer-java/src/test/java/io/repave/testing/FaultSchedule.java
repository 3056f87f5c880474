package io.repave.testing;

import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/** Which call of one process meets which fault. Calls are numbered from 1. */
@FunctionalInterface
public interface FaultSchedule {
  FaultSchedule NONE = (number, call) -> Fault.NONE;

  /** The fault of this call. Asked once a call, in order. */
  Fault at(int number, StoreCall call);

  static FaultSchedule at(int number, Fault fault) {
    return (each, call) -> each == number ? fault : Fault.NONE;
  }

  static FaultSchedule at(Map<Integer, Fault> faults) {
    return (number, call) -> faults.getOrDefault(number, Fault.NONE);
  }

  /** The fault for the n-th call of one kind, from 1. Each schedule has its own count. */
  static FaultSchedule nth(StoreCall kind, int n, Fault fault) {
    return nth(Set.of(kind), n, fault);
  }

  /** The same for the n-th call of any of these kinds. */
  static FaultSchedule nth(Set<StoreCall> kinds, int n, Fault fault) {
    return new FaultSchedule() {
      private int seen;

      @Override
      public synchronized Fault at(int number, StoreCall call) {
        return kinds.contains(call) && ++seen == n ? fault : Fault.NONE;
      }
    };
  }

  /** Each call fails with the given chance, by any kind of fault that fits it. */
  static FaultSchedule random(long seed, int perThousand, int latest) {
    SplittableRandom random = new SplittableRandom(seed);
    Fault.Kind[] kinds = Fault.Kind.values();
    return (number, call) -> {
      synchronized (random) {
        if (random.nextInt(1000) >= perThousand) {
          return Fault.NONE;
        }
        Fault.Kind kind;
        do {
          kind = kinds[1 + random.nextInt(kinds.length - 1)];
        } while (!kind.fits(call));
        boolean late = kind == Fault.Kind.LATE || kind == Fault.Kind.DIE_LATE;
        return new Fault(kind, late ? random.nextInt(latest + 1) : 0);
      }
    };
  }

  /** This schedule, and the other one for calls without a fault in this one. */
  default FaultSchedule or(FaultSchedule other) {
    return (number, call) -> {
      Fault first = at(number, call);
      Fault second = other.at(number, call);
      return first.kind() == Fault.Kind.NONE ? second : first;
    };
  }
}
