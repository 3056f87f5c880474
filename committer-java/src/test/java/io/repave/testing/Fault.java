package io.repave.testing;

/**
 * What goes wrong with one call. {@code later} counts the calls of all processes before a late
 * request lands; it is 0 for all other kinds.
 */
public record Fault(Kind kind, int later) {

  /** The kinds of fault. One that does not fit its call is a 503 there. */
  public enum Kind {
    NONE,
    /** The process dies before it sends the request. */
    DIE_BEFORE,
    /** The request is applied; the process dies before it has the answer. */
    DIE_AFTER,
    /** The process dies with the request under way: it lands later. */
    DIE_LATE,
    /** Applied, but the answer is lost. */
    LOST,
    /** No answer; applied later, with its condition looked at only then. */
    LATE,
    /** No answer, and never applied. */
    NEVER,
    /** Slow down: not applied, though the caller cannot be sure. */
    BUSY_503,
    /** A 200 with an error in its body: not applied. For a bulk delete, every key is refused. */
    OK_WITH_ERROR_BODY,
    /** A conflict of a conditional write with another request: not applied. */
    REFUSED_409,
    /** Applied, the answer is lost, and the client's own retry meets its first try. */
    LIE_412,
    /** A bulk delete that leaves every second key, the first of them, and says so. */
    HALF_DELETED;

    /** Whether this kind does to the call what no plainer kind does. */
    public boolean fits(StoreCall call) {
      return switch (this) {
        case NONE, DIE_BEFORE, BUSY_503 -> true;
        case DIE_AFTER, DIE_LATE, LOST, LATE, NEVER, OK_WITH_ERROR_BODY -> call.changes();
        case REFUSED_409, LIE_412 -> call.conditional();
        case HALF_DELETED -> call == StoreCall.DELETE;
      };
    }
  }

  public static final Fault NONE = new Fault(Kind.NONE, 0);

  public Fault {
    if (later != 0 && kind != Kind.LATE && kind != Kind.DIE_LATE || later < 0) {
      throw new IllegalArgumentException(kind + " does not land " + later + " calls later");
    }
  }

  public static Fault of(Kind kind) {
    return kind == Kind.NONE ? NONE : new Fault(kind, 0);
  }

  /** Lands when {@code later} more calls of anybody have been answered. */
  public static Fault late(int later) {
    return new Fault(Kind.LATE, later);
  }

  @Override
  public String toString() {
    return later == 0 ? kind.name() : kind + "(" + later + ")";
  }
}
