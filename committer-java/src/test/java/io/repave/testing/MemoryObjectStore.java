package io.repave.testing;

import io.repave.core.store.DeleteFailure;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.OpenUpload;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.core.store.StoredObject;
import io.repave.core.store.UploadPage;
import io.repave.core.store.Utf8Order;
import io.repave.testing.Dialect.Abort;
import io.repave.testing.Dialect.Conditions;
import io.repave.testing.Dialect.Replay;
import io.repave.testing.Dialect.Tags;
import io.repave.testing.HeldUpload.Progress;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * S3 in memory, deterministic. Every bucket exists. One lock; what is held never changes, so a copy
 * of the whole store copies two maps and no content.
 */
public final class MemoryObjectStore implements AcceptingStore {
  private static final int KEY_BYTES = 1024;
  private static final int PARTS = 10_000;
  private static final Comparator<HeldUpload> UPLOAD_ORDER =
      Comparator.comparing(HeldUpload::at, MemoryObjectStore::compare)
          .thenComparingInt(upload -> order(upload.uploadId()));

  private final Dialect dialect;
  private final VirtualClock clock;
  private final TreeMap<Location, HeldObject> objects;
  private final HashMap<String, HeldUpload> uploads;
  private final PageSizes pages;
  private int created;
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
    this.objects = new TreeMap<>(MemoryObjectStore::compare);
    this.uploads = new HashMap<>();
    this.pages = new PageSizes(dialect.pages());
  }

  private MemoryObjectStore(MemoryObjectStore other) {
    this.dialect = other.dialect;
    this.clock = other.clock;
    this.objects = new TreeMap<>(other.objects);
    this.uploads = new HashMap<>(other.uploads);
    this.created = other.created;
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

  /** The uploads that cost money: neither completed nor aborted, by key and age. */
  public synchronized List<HeldUpload> openUploads() {
    return uploads(HeldUpload::open);
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
  public synchronized Optional<ListedObject> head(Location at) {
    HeldObject held = objects.get(at);
    return held == null ? Optional.empty() : Optional.of(listed(at.key(), held));
  }

  @Override
  public synchronized String put(Location at, ByteBuffer content) throws StoreException {
    requireKey(at);
    HeldObject object = hold(content);
    objects.put(at, object);
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
        return new ListPage(page, true, page.isEmpty() ? after : last(page).key());
      }
      page.add(listed(at.key(), next.getValue()));
    }
    return new ListPage(page, false, page.isEmpty() ? after : last(page).key());
  }

  @Override
  public synchronized String createUpload(Location at) throws StoreException {
    requireKey(at);
    String uploadId = "upload-" + ++created;
    uploads.put(uploadId, HeldUpload.start(at, uploadId, clock.wallMillis()));
    return uploadId;
  }

  @Override
  public synchronized String uploadPart(
      Location at, String uploadId, int number, ByteBuffer content) throws StoreException {
    if (number < 1 || number > PARTS) {
      throw new StoreException(Kind.INVALID, "part " + number + " is not in 1 to " + PARTS);
    }
    HeldUpload upload = uploads.get(uploadId);
    if (upload == null || !upload.open() || !upload.at().equals(at)) {
      throw noSuchUpload(at, uploadId);
    }
    HeldObject part = hold(content);
    uploads.put(uploadId, upload.withPart(number, part));
    return part.etag();
  }

  @Override
  public synchronized void complete(PendingUpload pending) throws StoreException {
    HeldUpload upload = uploads.get(pending.uploadId());
    if (upload == null || !upload.at().equals(pending.at())) {
      throw noSuchUpload(pending.at(), pending.uploadId());
    }
    switch (upload.progress()) {
      case OPEN -> apply(upload, pending);
      case ABORTED -> throw noSuchUpload(pending.at(), pending.uploadId());
      case COMPLETED -> {
        // AWS repeats its first answer and does not look whether the object is still there.
        if (dialect.replay() != Replay.SAME_200) {
          throw noSuchUpload(pending.at(), pending.uploadId());
        }
      }
      default -> throw new IllegalStateException(upload.toString());
    }
  }

  @Override
  public synchronized Landing accept(PendingUpload pending) {
    HeldUpload now = uploads.get(pending.uploadId());
    boolean accepted = now != null && now.open() && now.at().equals(pending.at());
    return accepted ? () -> landAccepted(pending) : () -> complete(pending);
  }

  private synchronized void landAccepted(PendingUpload pending) throws StoreException {
    HeldUpload upload = uploads.get(pending.uploadId());
    if (upload.progress() == Progress.ABORTED && dialect.abort() == Abort.WEAK) {
      apply(upload, pending);
    } else {
      complete(pending);
    }
  }

  private void apply(HeldUpload upload, PendingUpload pending) throws StoreException {
    HeldObject object = join(upload, pending);
    objects.put(upload.at(), object);
    uploads.put(upload.uploadId(), upload.ended(Progress.COMPLETED));
  }

  private HeldObject join(HeldUpload upload, PendingUpload pending) throws StoreException {
    List<String> etags = pending.etags();
    HeldObject[] parts = upload.parts();
    long bytes = 0;
    for (int i = 0; i < etags.size(); i++) {
      if (i >= parts.length || parts[i] == null || !parts[i].etag().equals(etags.get(i))) {
        throw new StoreException(
            Kind.INVALID, "part " + (i + 1) + " of " + upload.at() + " was not uploaded so");
      }
      bytes += parts[i].content().length;
    }
    if (etags.isEmpty() || bytes != pending.bytes()) {
      throw new StoreException(
          Kind.INVALID,
          etags.size()
              + " parts of "
              + upload.at()
              + " hold "
              + bytes
              + " bytes, not the "
              + pending.bytes()
              + " of the Complete");
    }
    byte[] content = etags.size() == 1 ? parts[0].content() : joined(parts, etags.size());
    String etag = dialect.tags() == Tags.COUNTER ? tag(content) : tag(content) + "-" + etags.size();
    return new HeldObject(content, etag, clock.wallMillis());
  }

  private static byte[] joined(HeldObject[] parts, int count) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (int i = 0; i < count; i++) {
      content.writeBytes(parts[i].content());
    }
    return content.toByteArray();
  }

  @Override
  public synchronized void abort(Location at, String uploadId) {
    HeldUpload upload = uploads.get(uploadId);
    if (upload != null && upload.open() && upload.at().equals(at)) {
      uploads.put(uploadId, upload.ended(Progress.ABORTED));
    }
  }

  @Override
  public synchronized UploadPage listUploads(Location folder, String next) {
    int most = pages.next();
    List<OpenUpload> page = new ArrayList<>();
    String last = next;
    for (HeldUpload upload : uploads(each -> each.open() && isIn(folder, each.at()))) {
      if (!isAfter(upload, next)) {
        continue;
      }
      if (page.size() == most) {
        return new UploadPage(page, last.isEmpty() ? "0 " : last);
      }
      page.add(new OpenUpload(upload.at().key(), upload.uploadId(), upload.initiatedMillis()));
      last = order(upload.uploadId()) + " " + upload.at().key();
    }
    return new UploadPage(page, "");
  }

  /** A marker is an upload's place in the order: it may be gone by the time of the next page. */
  private static boolean isAfter(HeldUpload upload, String marker) {
    if (marker.isEmpty()) {
      return true;
    }
    int space = marker.indexOf(' ');
    int keys = Utf8Order.compare(upload.at().key(), marker.substring(space + 1));
    int marked = Integer.parseInt(marker.substring(0, space));
    return keys > 0 || keys == 0 && order(upload.uploadId()) > marked;
  }

  @Override
  public synchronized List<DeleteFailure> delete(List<Location> keys) {
    // No request can be made of it: a mistake of the caller, as over HTTP.
    if (keys.size() > DELETE_PAGE
        || keys.stream().anyMatch(at -> !at.bucket().equals(keys.get(0).bucket()))) {
      throw new IllegalArgumentException(
          "one delete takes at most " + DELETE_PAGE + " keys of one bucket: " + keys.size());
    }
    keys.forEach(objects::remove);
    return List.of();
  }

  private List<HeldUpload> uploads(Predicate<HeldUpload> wanted) {
    if (uploads.isEmpty()) {
      return List.of();
    }
    List<HeldUpload> found = new ArrayList<>();
    for (HeldUpload upload : uploads.values()) {
      if (wanted.test(upload)) {
        found.add(upload);
      }
    }
    found.sort(UPLOAD_ORDER);
    return found;
  }

  /** The order of listings, buckets apart. */
  private static int compare(Location left, Location right) {
    int buckets = left.bucket().compareTo(right.bucket());
    return buckets != 0 ? buckets : Utf8Order.compare(left.key(), right.key());
  }

  private static boolean isIn(Location folder, Location at) {
    return at.bucket().equals(folder.bucket()) && at.key().startsWith(folder.prefix());
  }

  private static int order(String uploadId) {
    return Integer.parseInt(uploadId.substring("upload-".length()));
  }

  private static ListedObject listed(String key, HeldObject held) {
    return new ListedObject(key, held.content().length, held.etag(), held.modifiedMillis());
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
    return dialect.replay() == Replay.UNKNOWN
        ? new StoreException(Kind.UNKNOWN, "internal error (500) at " + uploadId + " of " + at)
        : new StoreException(Kind.ABSENT, "no such upload (404): " + uploadId + " of " + at);
  }
}
