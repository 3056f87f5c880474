package io.repave.testing;

import io.repave.core.store.Content;
import io.repave.core.store.DeleteFailure;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.core.store.StoredObject;
import io.repave.core.store.UploadPage;
import io.repave.testing.AcceptingStore.Landing;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The store of one process, with scheduled faults. Each process of a simulation has its own; they
 * share the store and the network.
 */
public final class FaultyObjectStore implements ObjectStore {
  /** A request that is sent now, or later with the content it had. */
  @FunctionalInterface
  private interface Request<T> {
    T send(ByteBuffer content) throws StoreException;

    default Landing depart(ByteBuffer content) {
      ByteBuffer copy = content == null ? null : copy(content);
      return () -> send(copy);
    }

    /** The result of an answer with status 200 that holds an error. */
    default T errorBody(String what) throws StoreException {
      throw new StoreException(Kind.UNKNOWN, "an error inside a 200 to " + what);
    }

    /** The answer when half of the request is carried out. */
    default T half(String what) throws StoreException {
      throw busy(what);
    }
  }

  private final String process;
  private final ObjectStore store;
  private final Network network;
  private final FaultSchedule schedule;
  private final AtomicInteger calls = new AtomicInteger();
  private volatile boolean dead;
  private Consumer<String> trace;

  public FaultyObjectStore(
      String process, ObjectStore store, Network network, FaultSchedule schedule) {
    this.process = process;
    this.store = store;
    this.network = network;
    this.schedule = schedule;
  }

  /** Gives every later call as one line, such as {@code driver 7 PUT s3://lake/t/a LOST -> …}. */
  public FaultyObjectStore tracing(Consumer<String> lines) {
    trace = lines;
    return this;
  }

  /** The number of calls of this process, including failed ones. */
  public int calls() {
    return calls.get();
  }

  public boolean dead() {
    return dead;
  }

  /** Ends the process: all its further calls throw {@link ProcessDied}. */
  public void die() {
    dead = true;
  }

  @Override
  public Optional<StoredObject> read(Location at, long maxBytes) throws StoreException {
    return call(StoreCall.READ, at, null, content -> store.read(at, maxBytes));
  }

  @Override
  public Optional<byte[]> readRange(Location at, long from, int length) throws StoreException {
    return call(StoreCall.READ, at, null, content -> store.readRange(at, from, length));
  }

  @Override
  public Optional<ListedObject> head(Location at) throws StoreException {
    return call(StoreCall.HEAD, at, null, content -> store.head(at));
  }

  @Override
  public String put(Location at, Content bytes) throws StoreException {
    return call(StoreCall.PUT, at, Joined.copy(bytes), content -> store.put(at, content));
  }

  @Override
  public String putIfAbsent(Location at, ByteBuffer bytes) throws StoreException {
    return call(StoreCall.PUT_IF_ABSENT, at, bytes, content -> store.putIfAbsent(at, content));
  }

  @Override
  public String putIfMatch(Location at, ByteBuffer bytes, String etag) throws StoreException {
    return call(StoreCall.PUT_IF_MATCH, at, bytes, content -> store.putIfMatch(at, content, etag));
  }

  @Override
  public ListPage list(Location folder, String after) throws StoreException {
    return call(StoreCall.LIST, folder, null, content -> store.list(folder, after));
  }

  @Override
  public String createUpload(Location at) throws StoreException {
    return call(StoreCall.CREATE_UPLOAD, at, null, content -> store.createUpload(at));
  }

  @Override
  public String uploadPart(Location at, String uploadId, int number, Content bytes)
      throws StoreException {
    return call(
        StoreCall.UPLOAD_PART,
        at,
        Joined.copy(bytes),
        content -> store.uploadPart(at, uploadId, number, content));
  }

  @Override
  public void complete(PendingUpload upload) throws StoreException {
    call(
        StoreCall.COMPLETE,
        upload.at(),
        null,
        new Request<Void>() {
          @Override
          public Void send(ByteBuffer none) throws StoreException {
            store.complete(upload);
            return null;
          }

          @Override
          public Landing depart(ByteBuffer none) {
            return store instanceof AcceptingStore accepting
                ? accepting.accept(upload)
                : () -> store.complete(upload);
          }
        });
  }

  @Override
  public void abort(Location at, String uploadId) throws StoreException {
    call(
        StoreCall.ABORT,
        at,
        null,
        content -> {
          store.abort(at, uploadId);
          return null;
        });
  }

  @Override
  public UploadPage listUploads(Location folder, String next) throws StoreException {
    return call(StoreCall.LIST_UPLOADS, folder, null, content -> store.listUploads(folder, next));
  }

  @Override
  public UploadPage listUploadsOf(Location at, String next) throws StoreException {
    return call(StoreCall.LIST_UPLOADS, at, null, content -> store.listUploadsOf(at, next));
  }

  @Override
  public List<DeleteFailure> delete(List<Location> keys) throws StoreException {
    List<Location> sent = List.copyOf(keys);
    Location first = sent.isEmpty() ? null : sent.get(0);
    return call(
        StoreCall.DELETE,
        first,
        null,
        new Request<List<DeleteFailure>>() {
          @Override
          public List<DeleteFailure> send(ByteBuffer none) throws StoreException {
            return store.delete(sent);
          }

          @Override
          public List<DeleteFailure> errorBody(String what) {
            return sent.stream().map(FaultyObjectStore::refused).toList();
          }

          @Override
          public List<DeleteFailure> half(String what) throws StoreException {
            List<DeleteFailure> failures = new ArrayList<>();
            List<Location> rest = new ArrayList<>();
            for (int i = 0; i < sent.size(); i++) {
              if (i % 2 == 0) {
                failures.add(refused(sent.get(i)));
              } else {
                rest.add(sent.get(i));
              }
            }
            if (!rest.isEmpty()) {
              failures.addAll(store.delete(rest));
            }
            return failures;
          }
        });
  }

  private <T> T call(StoreCall call, Location at, ByteBuffer content, Request<T> request)
      throws StoreException {
    if (dead) {
      throw ProcessDied.atCall(process, calls.get());
    }
    int number = calls.incrementAndGet();
    Fault fault = schedule.at(number, call);
    network.call();
    if (trace == null) {
      return answer(call, at, content, request, fault);
    }
    String line = process + " " + number + " " + call + " " + at + " " + fault + " -> ";
    try {
      T answer = answer(call, at, content, request, fault);
      trace.accept(line + readable(answer));
      return answer;
    } catch (StoreException failed) {
      trace.accept(line + failed.kind() + ": " + failed.getMessage());
      throw failed;
    } catch (ProcessDied died) {
      trace.accept(line + "died");
      throw died;
    }
  }

  private <T> T answer(
      StoreCall call, Location at, ByteBuffer content, Request<T> request, Fault fault)
      throws StoreException {
    if (fault == Fault.NONE) {
      return request.send(content);
    }
    String what = call + " " + at;
    switch (fault.kind()) {
      case DIE_BEFORE -> throw died();
      case DIE_AFTER -> {
        ignoring(request, content);
        throw died();
      }
      case DIE_LATE -> {
        if (call.changes()) {
          network.send(fault.later(), request.depart(content));
        }
        throw died();
      }
      case LOST -> {
        ignoring(request, content);
        throw noAnswer(what);
      }
      case LATE -> {
        if (call.changes()) {
          network.send(fault.later(), request.depart(content));
        }
        throw noAnswer(what);
      }
      case NEVER -> throw noAnswer(what);
      case OK_WITH_ERROR_BODY -> {
        return request.errorBody(what);
      }
      case HALF_DELETED -> {
        return request.half(what);
      }
      case REFUSED_409 ->
          throw fault.kind().fits(call)
              ? new StoreException(Kind.REFUSED, "a conflicting request (409) at " + what)
              : busy(what);
      case LIE_412 -> {
        if (fault.kind().fits(call)) {
          request.send(content);
          throw new StoreException(Kind.REFUSED, "a condition failed (412) at " + what);
        }
        throw busy(what);
      }
      default -> throw busy(what);
    }
  }

  private ProcessDied died() {
    dead = true;
    return ProcessDied.atCall(process, calls.get());
  }

  private static void ignoring(Request<?> request, ByteBuffer content) {
    try {
      request.send(content);
    } catch (StoreException unheard) {
      // This fault hides the answer, whatever it is.
    }
  }

  private static StoreException busy(String what) {
    return new StoreException(Kind.UNKNOWN, "slow down (503) at " + what);
  }

  private static StoreException noAnswer(String what) {
    return new StoreException(Kind.UNKNOWN, "no answer in time to " + what);
  }

  private static DeleteFailure refused(Location at) {
    return new DeleteFailure(at, "InternalError");
  }

  private static ByteBuffer copy(ByteBuffer content) {
    byte[] bytes = new byte[content.remaining()];
    content.get(content.position(), bytes);
    return ByteBuffer.wrap(bytes);
  }

  private static String readable(Object answer) {
    if (answer instanceof Optional<?> found) {
      return found.isPresent() ? "found" : "absent";
    }
    if (answer instanceof ListPage page) {
      return page.objects().size() + (page.more() ? " keys and more" : " keys");
    }
    if (answer instanceof UploadPage page) {
      return page.uploads().size() + " uploads";
    }
    return answer == null ? "done" : answer.toString();
  }
}
