package io.repave.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.repave.core.store.Location;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import io.repave.testing.Dialect.Abort;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Each fault has the effect, and gives the caller the answer, that its name says. */
class FaultyObjectStoreTest {
  private static final Location AT = new Location("lake", "sales/dt=1/a");
  private static final Location OTHER = new Location("lake", "sales/dt=1/b");
  private static final int LIFETIME_MILLIS = 60_000;

  private final VirtualClock clock = new VirtualClock();
  private final Network network = new Network(clock, LIFETIME_MILLIS);
  private final MemoryObjectStore memory = new MemoryObjectStore(Dialect.AWS, clock);
  private final List<String> trace = new ArrayList<>();

  @Test
  void deathBeforeACallLeavesNoEffectAndEndsTheProcess() {
    FaultyObjectStore store = first(Fault.Kind.DIE_BEFORE);

    assertThatThrownBy(() -> store.put(AT, bytes("x"))).isInstanceOf(ProcessDied.class);

    assertThat(memory.objects()).isEmpty();
    assertThatThrownBy(() -> store.head(AT))
        .isInstanceOf(ProcessDied.class)
        .hasMessage("driver died at its call 1")
        .extracting(Throwable::getStackTrace)
        .isEqualTo(new StackTraceElement[0]);
    assertThat(store.calls()).isEqualTo(1);
    assertThat(store.dead()).isTrue();
  }

  @Test
  void deathAfterACallLeavesItsEffect() {
    assertThatThrownBy(() -> first(Fault.Kind.DIE_AFTER).put(AT, bytes("x")))
        .isInstanceOf(ProcessDied.class);

    assertThat(memory.objects()).containsOnlyKeys(AT);
  }

  @Test
  void aRequestUnderWayOutlivesItsProcess() throws IOException {
    FaultyObjectStore dying =
        store(FaultSchedule.at(1, new Fault(Fault.Kind.DIE_LATE, 1)), "driver");
    FaultyObjectStore other = store(FaultSchedule.NONE, "other");

    assertThatThrownBy(() -> dying.put(AT, bytes("x"))).isInstanceOf(ProcessDied.class);

    assertThat(other.head(AT)).isEmpty();
    assertThat(other.head(AT)).isPresent();
  }

  @Test
  void aLostAnswerHidesThatTheCallWasApplied() {
    assertUnknown(() -> first(Fault.Kind.LOST).put(AT, bytes("x")));

    assertThat(memory.objects()).containsOnlyKeys(AT);
  }

  @Test
  void aLateCallLandsAfterTheNamedNumberOfOthers() throws IOException {
    FaultyObjectStore store = store(FaultSchedule.at(1, Fault.late(2)), "driver");
    FaultyObjectStore other = store(FaultSchedule.NONE, "other");

    assertUnknown(() -> store.put(AT, bytes("x")));

    assertThat(other.head(AT)).isEmpty();
    assertThat(store.head(AT)).isEmpty();
    assertThat(other.head(AT)).isPresent();
  }

  @Test
  void aLateCallLandsWithTheContentItWasSentWith() throws IOException {
    byte[] buffer = "sent".getBytes(UTF_8);
    assertUnknown(() -> first(Fault.Kind.LATE).put(AT, ByteBuffer.wrap(buffer)));

    buffer[0] = '?';
    network.deliverAll();

    assertThat(content(AT)).isEqualTo("sent");
  }

  @Test
  void aLateConditionIsJudgedWhenItLands() throws IOException {
    String old = memory.put(AT, bytes("old"));
    FaultyObjectStore store = first(Fault.Kind.LATE);

    assertUnknown(() -> store.putIfMatch(AT, bytes("late"), old));
    memory.put(AT, bytes("between"));
    network.deliverAll();

    assertThat(content(AT)).isEqualTo("between");
  }

  @Test
  void nothingIsUnderWayAfterTheLifetimeOfARequest() throws IOException {
    FaultyObjectStore store = store(FaultSchedule.at(1, Fault.late(1000)), "driver");

    assertUnknown(() -> store.put(AT, bytes("x")));
    clock.sleep(LIFETIME_MILLIS - 1);
    assertThat(memory.head(AT)).isEmpty();
    clock.sleep(1);

    assertThat(memory.head(AT)).isPresent();
    assertThat(network.underWay()).isZero();
  }

  @Test
  void aLateReadHasNoEffectToLand() {
    assertUnknown(() -> first(Fault.Kind.LATE).head(AT));

    assertThat(network.underWay()).isZero();
  }

  @Test
  void aWeakAbortDoesNotStopAnAcceptedComplete() throws IOException {
    assertThat(lateCompleteAfterAbort(memory)).containsOnlyKeys(AT);
  }

  @Test
  void aStrongAbortStopsAnAcceptedComplete() throws IOException {
    MemoryObjectStore strong = new MemoryObjectStore(Dialect.AWS.with(Abort.STRONG), clock);

    assertThat(lateCompleteAfterAbort(strong)).isEmpty();
  }

  @Test
  void aWeakAbortStopsACompleteThatIsSentAfterIt() throws IOException {
    PendingUpload upload = upload(memory);
    memory.abort(AT, upload.uploadId());

    assertUnknown(() -> first(Fault.Kind.LATE).complete(upload));
    network.deliverAll();

    assertThat(memory.objects()).isEmpty();
  }

  @Test
  void aLateCompleteOfAConsumedUploadDoesNotRaiseTheDead() throws IOException {
    PendingUpload upload = upload(memory);
    FaultyObjectStore store = first(Fault.Kind.LATE);

    assertUnknown(() -> store.complete(upload));
    store.complete(upload);
    store.delete(List.of(AT));
    network.deliverAll();

    assertThat(memory.objects()).isEmpty();
  }

  @Test
  void neverBusyAndAnErrorInside200AreNotApplied() {
    for (Fault.Kind kind :
        List.of(Fault.Kind.NEVER, Fault.Kind.BUSY_503, Fault.Kind.OK_WITH_ERROR_BODY)) {
      assertUnknown(() -> first(kind).put(AT, bytes("x")));
    }
    network.deliverAll();

    assertThat(memory.objects()).isEmpty();
  }

  @Test
  void aConflictRefusesAConditionalWriteWithoutApplyingIt() {
    assertThat(failure(() -> first(Fault.Kind.REFUSED_409).putIfAbsent(AT, bytes("x"))).kind())
        .isEqualTo(StoreException.Kind.REFUSED);

    assertThat(memory.objects()).isEmpty();
  }

  @Test
  void aLying412RefusesAWriteThatItApplied() {
    assertThat(failure(() -> first(Fault.Kind.LIE_412).putIfAbsent(AT, bytes("x"))).kind())
        .isEqualTo(StoreException.Kind.REFUSED);

    assertThat(memory.objects()).containsOnlyKeys(AT);
  }

  @Test
  void anErrorInsideTheAnswerToADeleteRefusesEveryKey() throws IOException {
    memory.put(AT, bytes("x"));

    assertThat(first(Fault.Kind.OK_WITH_ERROR_BODY).delete(List.of(AT, OTHER)))
        .extracting(failure -> failure.at())
        .containsExactly(AT, OTHER);
    assertThat(memory.objects()).containsOnlyKeys(AT);
  }

  @Test
  void aHalfDoneDeleteNamesTheKeysThatItLeft() throws IOException {
    memory.put(AT, bytes("x"));
    memory.put(OTHER, bytes("x"));

    assertThat(first(Fault.Kind.HALF_DELETED).delete(List.of(AT, OTHER)))
        .extracting(failure -> failure.at())
        .containsExactly(AT);
    assertThat(memory.objects()).containsOnlyKeys(AT);
  }

  @Test
  void aFaultThatDoesNotFitItsCallIsA503() {
    for (Fault.Kind kind :
        List.of(Fault.Kind.REFUSED_409, Fault.Kind.LIE_412, Fault.Kind.HALF_DELETED)) {
      assertUnknown(() -> first(kind).put(AT, bytes("x")));
    }

    assertThat(memory.objects()).isEmpty();
  }

  @Test
  void schedulesChooseByNumberByKindAndBySeed() throws IOException {
    FaultSchedule second = FaultSchedule.nth(StoreCall.PUT, 2, Fault.of(Fault.Kind.NEVER));
    FaultyObjectStore store = store(FaultSchedule.at(4, Fault.late(0)).or(second), "driver");

    store.put(AT, bytes("1"));
    store.head(AT);
    assertUnknown(() -> store.put(AT, bytes("2")));
    assertUnknown(() -> store.put(OTHER, bytes("3")));
    store.put(AT, bytes("4"));

    assertThat(memory.objects()).containsOnlyKeys(AT, OTHER);
    assertThat(drawn(7)).isEqualTo(drawn(7)).isNotEqualTo(drawn(8));
  }

  @Test
  void theTraceTellsEachCallItsFaultAndItsAnswer() throws IOException {
    FaultyObjectStore store = store(FaultSchedule.at(2, Fault.late(3)), "driver");

    store.head(AT);
    assertUnknown(() -> store.put(AT, bytes("x")));

    assertThat(trace)
        .containsExactly(
            "driver 1 HEAD s3://lake/sales/dt=1/a NONE -> absent",
            "driver 2 PUT s3://lake/sales/dt=1/a LATE(3) -> UNKNOWN: "
                + "no answer in time to PUT s3://lake/sales/dt=1/a");
  }

  private static List<Fault> drawn(long seed) {
    FaultSchedule schedule = FaultSchedule.random(seed, 300, 9);
    List<Fault> faults = new ArrayList<>();
    for (int number = 1; number <= 100; number++) {
      faults.add(schedule.at(number, StoreCall.PUT_IF_MATCH));
    }
    return faults;
  }

  private Map<Location, HeldObject> lateCompleteAfterAbort(MemoryObjectStore under)
      throws IOException {
    PendingUpload upload = upload(under);
    FaultyObjectStore store =
        new FaultyObjectStore(
            "driver", under, network, FaultSchedule.at(1, Fault.of(Fault.Kind.LATE)));

    assertUnknown(() -> store.complete(upload));
    under.abort(AT, upload.uploadId());
    assertThat(under.openUploads()).isEmpty();
    assertThat(under.objects()).isEmpty();
    network.deliverAll();
    return under.objects();
  }

  private static PendingUpload upload(MemoryObjectStore under) throws IOException {
    String uploadId = under.createUpload(AT);
    String etag = under.uploadPart(AT, uploadId, 1, bytes("rows"));
    return new PendingUpload(AT, uploadId, 4, List.of(etag));
  }

  private FaultyObjectStore first(Fault.Kind kind) {
    return store(FaultSchedule.at(1, Fault.of(kind)), "driver");
  }

  private FaultyObjectStore store(FaultSchedule schedule, String process) {
    return new FaultyObjectStore(process, memory, network, schedule).tracing(trace::add);
  }

  private String content(Location at) {
    return new String(memory.objects().get(at).content(), UTF_8);
  }

  private static void assertUnknown(ThrowingCallable call) {
    assertThat(failure(call).kind()).isEqualTo(StoreException.Kind.UNKNOWN);
  }

  private static StoreException failure(ThrowingCallable call) {
    return catchThrowableOfType(StoreException.class, call);
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8));
  }
}
