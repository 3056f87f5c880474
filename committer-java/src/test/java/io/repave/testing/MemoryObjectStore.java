package io.repave.testing;

import io.repave.core.store.Content;
import io.repave.core.store.DeleteFailure;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.core.store.StoredObject;
import io.repave.core.store.UploadPage;
import io.repave.core.store.Utf8Order;
import io.repave.testing.Dialect.Abort;
import io.repave.testing.Dialect.Conditions;
import io.repave.testing.Dialect.Meanwhile;
import io.repave.testing.Dialect.Replay;
import io.repave.testing.Dialect.Tags;
import io.repave.testing.HeldUpload.Progress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * S3 in memory, deterministic. Every bucket exists. One lock; what is held never changes, so a copy
 * of the whole store copies two maps and no content.
 */
public final class MemoryObjectStore implements AcceptingStore {
  private static final int KEY_BYTES = 1024;
  private static final int PARTS = 10_000;

  private final Dialect dialect;
  private final VirtualClock clock;
  private final TreeMap<Location, HeldObject> objects;
  private long changes;
  private final HeldUploads uploads;

  /**
   * For each key the uploads that there were when it was last put or deleted, where that counts.
   */
  private final HashMap<Location, Integer> touched;

  private final PageSizes pages;
  private int written;

  public MemoryObjectStore() {
    this(Dialect.AWS);
  }

  public MemoryObjectStore(Dialect dialect) {
    this(dialect, new VirtualClock());
  }

  public MemoryObjectStore(Dialect dialect, VirtualClock clock) {
    this.dialect = dialect;
    this.clock = clock;
    this.objects = new TreeMap<>(HeldUploads::compare);
    this.uploads = new HeldUploads();
    this.touched = new HashMap<>();
    this.pages = new PageSizes(dialect.pages());
  }

  private MemoryObjectStore(MemoryObjectStore other) {
    this.dialect = other.dialect;
    this.clock = other.clock;
    this.objects = new TreeMap<>(other.objects);
    this.uploads = other.uploads.copy();
    this.touched = new HashMap<>(other.touched);
    this.written = other.written;
    this.pages = other.pages.copy();
  }

  /** A store in the same state, which goes its own way from here. It shares the clock. */
  public synchronized MemoryObjectStore copy() {
    return new MemoryObjectStore(this);
  }

  /** What is visible now, in order: a view for checkers, not for other threads. */
  public NavigableMap<Location, HeldObject> objects() {
    return Collections.unmodifiableNavigableMap(objects);
  }

  /** How often an object was put or deleted. */
  public synchronized long changes() {
    return changes;
  }

  /** The uploads that cost money: neither completed nor aborted, by key and age. */
  public synchronized List<HeldUpload> openUploads() {
    return uploads.open();
  }

  @Override
  public synchronized Optional<StoredObject> read(Location at, long maxBytes)
      throws StoreException {
    HeldObject held = objects.get(at);
    if (held == null) {
      return Optional.empty();
    }
    if (held.content().length > maxBytes) {
      throw new StoreException(
          Kind.INVALID,
          at + " has " + held.content().length + " bytes, more than the " + maxBytes + " allowed");
    }
    return Optional.of(new StoredObject(held.content(), held.etag()));
  }

  @Override
  public synchronized Optional<byte[]> readRange(Location at, long from, int length)
      throws StoreException {
    HeldObject held = objects.get(at);
    if (held == null) {
      return Optional.empty();
    }
    if (from + length > held.content().length) {
      throw new StoreException(
          Kind.INVALID, at + " ends before byte " + (from + length) + " (416)");
    }
    return Optional.of(Arrays.copyOfRange(held.content(), (int) from, (int) from + length));
  }

  @Override
  public synchronized Optional<ListedObject> head(Location at) {
    HeldObject held = objects.get(at);
    return Optional.ofNullable(held).map(it -> aged(listed(at.key(), it)));
  }

  @Override
  public synchronized String put(Location at, Content content) throws StoreException {
    requireKey(at);
    HeldObject object = hold(Joined.copy(content));
    objects.put(at, object);
    changes++;
    touch(at);
    return object.etag();
  }

  @Override
  public synchronized String putIfAbsent(Location at, ByteBuffer content) throws StoreException {
    requireConditions();
    if (dialect.conditions() == Conditions.ATOMIC && objects.containsKey(at)) {
      throw new StoreException(Kind.REFUSED, at + " exists already (412)");
    }
    return put(at, content);
  }

  @Override
  public synchronized String putIfMatch(Location at, ByteBuffer content, String etag)
      throws StoreException {
    requireConditions();
    if (dialect.conditions() == Conditions.ATOMIC) {
      HeldObject held = objects.get(at);
      if (held == null || !held.etag().equals(etag)) {
        String found = held == null ? "is absent (404)" : "has tag " + held.etag() + " (412)";
        throw new StoreException(Kind.REFUSED, at + " " + found + ", not tag " + etag);
      }
    }
    return put(at, content);
  }

  @Override
  public synchronized ListPage list(Location folder, String after) {
    String prefix = folder.prefix();
    boolean fromStart = Utf8Order.compare(after, prefix) < 0;
    Location start = new Location(folder.bucket(), fromStart ? prefix : after);
    int most = pages.next();
    List<ListedObject> page = new ArrayList<>();
    for (Map.Entry<Location, HeldObject> next : objects.tailMap(start, fromStart).entrySet()) {
      Location at = next.getKey();
      if (!at.key().startsWith(prefix) || !at.bucket().equals(folder.bucket())) {
        break;
      }
      if (page.size() == most) {
        return ListPage.after(after, page, true);
      }
      page.add(listed(at.key(), next.getValue()));
    }
    return ListPage.after(after, page, false);
  }

  @Override
  public synchronized String createUpload(Location at) throws StoreException {
    requireKey(at);
    return uploads.start(at, clock.wallMillis());
  }

  @Override
  public synchronized String uploadPart(Location at, String uploadId, int number, Content content)
      throws StoreException {
    if (number < 1 || number > PARTS) {
      throw new StoreException(Kind.INVALID, "part " + number + " is not in 1 to " + PARTS);
    }
    HeldUpload upload = uploads.find(at, uploadId);
    if (upload == null || !upload.open()) {
      throw noSuchUpload(at, uploadId);
    }
    HeldObject part = hold(Joined.copy(content));
    uploads.replace(upload.withPart(number, part));
    return part.etag();
  }

  @Override
  public synchronized void complete(PendingUpload pending) throws StoreException {
    HeldUpload upload = uploads.find(pending.at(), pending.uploadId());
    if (upload == null) {
      throw noSuchUpload(pending.at(), pending.uploadId());
    }
    switch (upload.progress()) {
      case OPEN -> apply(upload, pending);
      case ABORTED -> throw noSuchUpload(pending.at(), pending.uploadId());
      case COMPLETED -> {
        // AWS repeats its first answer and does not look whether the object is still there.
        if (dialect.uploads().replay() != Replay.SAME_200) {
          throw noSuchUpload(pending.at(), pending.uploadId());
        }
      }
      default -> throw new IllegalStateException(upload.toString());
    }
  }

  @Override
  public synchronized Landing accept(PendingUpload pending) {
    HeldUpload now = uploads.find(pending.at(), pending.uploadId());
    boolean accepted = now != null && now.open();
    return accepted ? () -> landAccepted(pending) : () -> complete(pending);
  }

  private synchronized void landAccepted(PendingUpload pending) throws StoreException {
    HeldUpload upload = uploads.find(pending.at(), pending.uploadId());
    if (upload.progress() == Progress.ABORTED && dialect.uploads().abort() == Abort.WEAK) {
      apply(upload, pending);
    } else {
      complete(pending);
    }
  }

  private void apply(HeldUpload upload, PendingUpload pending) throws StoreException {
    byte[] content = upload.join(pending);
    String tag = tag(content);
    String etag = dialect.tags() == Tags.COUNTER ? tag : tag + "-" + pending.etags().size();
    if (touched.getOrDefault(upload.at(), 0) < HeldUploads.order(upload.uploadId())) {
      objects.put(upload.at(), new HeldObject(content, etag, clock.wallMillis()));
      changes++;
    }
    uploads.replace(upload.ended(Progress.COMPLETED));
  }

  @Override
  public synchronized void abort(Location at, String uploadId) {
    HeldUpload upload = uploads.find(at, uploadId);
    if (upload != null && upload.open()) {
      uploads.replace(upload.ended(Progress.ABORTED));
    }
  }

  @Override
  public synchronized UploadPage listUploads(Location folder, String next) {
    return uploads.page(folder::holds, next, pages.next());
  }

  @Override
  public synchronized UploadPage listUploadsOf(Location at, String next) {
    return uploads.page(at::equals, next, pages.next());
  }

  @Override
  public synchronized List<DeleteFailure> delete(List<Location> keys) {
    // No request can be made of it: a mistake of the caller, as over HTTP.
    if (keys.size() > DELETE_PAGE
        || keys.stream().anyMatch(at -> !at.bucket().equals(keys.get(0).bucket()))) {
      throw new IllegalArgumentException(
          "one delete takes at most " + DELETE_PAGE + " keys of one bucket: " + keys.size());
    }
    for (Location at : keys) {
      objects.remove(at);
      changes++;
      touch(at);
    }
    return List.of();
  }

  private void touch(Location at) {
    if (uploads.started() > 0 && dialect.uploads().meanwhile() == Meanwhile.WINS) {
      touched.put(at, uploads.started());
    }
  }

  private static ListedObject listed(String key, HeldObject held) {
    return new ListedObject(
        key, held.content().length, held.etag(), held.modifiedMillis(), ListedObject.UNKNOWN_AGE);
  }

  private ListedObject aged(ListedObject it) {
    long age = clock.wallMillis() - it.modifiedMillis();
    return new ListedObject(it.key(), it.bytes(), it.etag(), it.modifiedMillis(), age);
  }

  private static ListedObject last(List<ListedObject> page) {
    return page.get(page.size() - 1);
  }

  /** The buffer stays as it was: the caller may send it again. */
  private HeldObject hold(ByteBuffer content) {
    byte[] bytes = new byte[content.remaining()];
    content.get(content.position(), bytes);
    return new HeldObject(bytes, tag(bytes), clock.wallMillis());
  }

  private String tag(byte[] content) {
    if (dialect.tags() == Tags.COUNTER) {
      return "tag-" + ++written;
    }
    CRC32 high = new CRC32();
    CRC32C low = new CRC32C();
    high.update(content);
    low.update(content);
    return Long.toHexString(high.getValue() << 32 | low.getValue());
  }

  private static void requireKey(Location at) throws StoreException {
    String key = at.key();
    if (key.isEmpty()
        || key.length() > KEY_BYTES / 3
            && key.getBytes(StandardCharsets.UTF_8).length > KEY_BYTES) {
      throw new StoreException(
          Kind.INVALID, "a key has 1 to " + KEY_BYTES + " bytes in UTF-8, not '" + key + "'");
    }
  }

  private void requireConditions() throws StoreException {
    if (dialect.conditions() == Conditions.REJECTED) {
      throw new StoreException(Kind.INVALID, "this store knows no conditional writes (501)");
    }
  }

  private StoreException noSuchUpload(Location at, String uploadId) {
    return dialect.uploads().replay() == Replay.UNKNOWN
        ? new StoreException(Kind.UNKNOWN, "internal error (500) at " + uploadId + " of " + at)
        : new StoreException(Kind.ABSENT, "no such upload (404): " + uploadId + " of " + at);
  }
}
