package io.repave.s3;

import io.repave.core.record.RecordNames;
import io.repave.core.store.Content;
import io.repave.core.store.DeleteFailure;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.OpenUpload;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.core.store.StoredObject;
import io.repave.core.store.UploadPage;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.apache.hadoop.fs.store.audit.AuditSpan;

/**
 * The protocol's store over S3A's own client of each bucket. The threads and connections belong to
 * the file systems, which their provider closes.
 */
final class S3ObjectStore implements ObjectStore {
  private final BucketFileSystems fileSystems;
  private final ConditionalWrites conditions;
  private final Map<String, Connector> connectors = new ConcurrentHashMap<>();

  S3ObjectStore(BucketFileSystems fileSystems, ConditionalWrites conditions) {
    this.fileSystems = fileSystems;
    this.conditions = conditions;
  }

  /** One request to a bucket. */
  private interface Call<T> {
    T on(Bucket bucket) throws IOException;
  }

  /** The span of S3A's audit in which a request is sent. */
  private interface Span {
    AuditSpan in(Connector connector) throws IOException;
  }

  /** What an error response says about the effect of a call. */
  private interface Reading {
    Kind of(ErrorResponse error);
  }

  @Override
  public Optional<StoredObject> read(Location at, long maxBytes) throws StoreException {
    return call("GET", at, bucket -> bucket.read(at.key(), maxBytes));
  }

  @Override
  public Optional<byte[]> readRange(Location at, long from, int length) throws StoreException {
    return callInOwnSpan(
        "GET of a range of", at, bucket -> bucket.readRange(at.key(), from, length));
  }

  @Override
  public Optional<ListedObject> head(Location at) throws StoreException {
    return call("HEAD", at, bucket -> bucket.head(at.key()));
  }

  @Override
  public String put(Location at, Content content) throws StoreException {
    return call("PUT", at, bucket -> bucket.put(at.key(), content));
  }

  @Override
  public String putIfAbsent(Location at, ByteBuffer content) throws StoreException {
    return call(
        "PUT If-None-Match",
        at,
        bucket -> conditions.putIfAbsent(bucket, at.key(), content),
        S3ErrorMapper::kindOnCondition);
  }

  @Override
  public String putIfMatch(Location at, ByteBuffer content, String etag) throws StoreException {
    return call(
        "PUT If-Match",
        at,
        bucket -> conditions.putIfMatch(bucket, at.key(), content, etag),
        S3ErrorMapper::kindOfSwap);
  }

  @Override
  public ListPage list(Location folder, String after) throws StoreException {
    return call("LIST", folder, bucket -> bucket.list(folder.prefix(), after));
  }

  @Override
  public String createUpload(Location at) throws StoreException {
    return call("CreateMultipartUpload", at, bucket -> bucket.createUpload(at.key()));
  }

  @Override
  public String uploadPart(Location at, String uploadId, int number, Content content)
      throws StoreException {
    return call(
        "UploadPart " + number + " of",
        at,
        bucket -> bucket.uploadPart(at.key(), uploadId, number, content));
  }

  @Override
  public void complete(PendingUpload upload) throws StoreException {
    call(
        "CompleteMultipartUpload",
        upload.at(),
        bucket -> {
          bucket.complete(upload);
          return true;
        });
  }

  @Override
  public void abort(Location at, String uploadId) throws StoreException {
    try {
      call(
          "AbortMultipartUpload",
          at,
          bucket -> {
            bucket.abort(at.key(), uploadId);
            return true;
          });
    } catch (StoreException e) {
      if (e.kind() != Kind.ABSENT) {
        throw e;
      }
    }
  }

  @Override
  public UploadPage listUploads(Location folder, String next) throws StoreException {
    String prefix = folder.prefix();
    return listUploads(folder, prefix, key -> key.startsWith(prefix), next);
  }

  @Override
  public UploadPage listUploadsOf(Location at, String next) throws StoreException {
    return listUploads(at, at.key(), at.key()::equals, next);
  }

  /**
   * Listed uploads may be aborted next, so their keys are checked: servers alone are not trusted.
   */
  private UploadPage listUploads(
      Location at, String prefix, Predicate<String> isWanted, String next) throws StoreException {
    UploadPage page =
        call(
            "ListMultipartUploads",
            at,
            bucket -> bucket.listUploads(prefix, UploadMarker.parse(next)));
    List<OpenUpload> wanted =
        page.uploads().stream().filter(upload -> isWanted.test(upload.key())).toList();
    return new UploadPage(wanted, page.next());
  }

  @Override
  public List<DeleteFailure> delete(List<Location> keys) throws StoreException {
    if (keys.isEmpty()) {
      return List.of();
    }
    Location first = keys.get(0);
    if (keys.size() > DELETE_PAGE
        || keys.stream().anyMatch(key -> !key.bucket().equals(first.bucket()))) {
      throw new IllegalArgumentException(
          "one delete takes at most " + DELETE_PAGE + " keys of one bucket, not " + keys.size());
    }
    List<String> names = keys.stream().map(Location::key).toList();
    boolean paged = connector("DELETE", first).deletesInPages();
    List<String> page = paged ? names.stream().filter(DeleteResponse::canName).toList() : List.of();
    List<String> alone =
        names.stream().filter(name -> !paged || !DeleteResponse.canName(name)).toList();
    if (!alone.isEmpty()) {
      deleteAlone(first, alone);
    }
    return page.isEmpty() ? List.of() : deletePage(first, page);
  }

  private List<DeleteFailure> deletePage(Location first, List<String> page) throws StoreException {
    try {
      return callInOwnSpan(
          "DeleteObjects, " + page.size() + " from", first, bucket -> bucket.delete(page));
    } catch (StoreException e) {
      if (e.kind() != Kind.INVALID) {
        throw e;
      }
      // The store has no DeleteObjects, or cannot read one of these keys in it.
      return deleteAlone(first, page);
    }
  }

  private List<DeleteFailure> deleteAlone(Location first, List<String> keys) throws StoreException {
    return callInOwnSpan(
        "DELETE, " + keys.size() + " from", first, bucket -> deleteEach(bucket, keys));
  }

  /**
   * For keys that DeleteObjects cannot name, and for stores without it. After a failure, the next
   * try begins again: an absent key counts as deleted.
   */
  private static List<DeleteFailure> deleteEach(Bucket bucket, List<String> keys)
      throws IOException {
    for (String key : keys) {
      bucket.delete(key);
    }
    return List.of();
  }

  /** The configured endpoint of a location; "" if the SDK chooses it by region. */
  String endpoint(Location at) throws StoreException {
    return connector("The endpoint of", at).files().getConf().getTrimmed("fs.s3a.endpoint", "");
  }

  private <T> T call(String name, Location at, Call<T> call) throws StoreException {
    return call(name, at, call, S3ErrorMapper::kind);
  }

  private <T> T call(String name, Location at, Call<T> call, Reading reading)
      throws StoreException {
    return call(name, at, Connector::sharedSpan, call, reading);
  }

  /** For requests whose range or number of keys S3A's auditor notes in their span. */
  private <T> T callInOwnSpan(String name, Location at, Call<T> call) throws StoreException {
    return call(name, at, Connector::newSpan, call, S3ErrorMapper::kind);
  }

  private <T> T call(String name, Location at, Span span, Call<T> call, Reading reading)
      throws StoreException {
    checkLength(name, at);
    Connector connector = connector(name, at);
    try (AuditSpan active = active(span, connector, name, at)) {
      return call.on(connector.bucket());
    } catch (StoreException e) {
      throw e;
    } catch (UnappliedWriteException e) {
      throw failure(connector, e.request(name), at, S3ErrorMapper::kind, e.failure()).unapplied();
    } catch (IOException | RuntimeException e) {
      throw failure(connector, name, at, reading, e);
    } finally {
      // The provider may close the file system when no one can reach this store any more.
      Reference.reachabilityFence(this);
    }
  }

  private StoreException failure(
      Connector connector, String name, Location at, Reading reading, Exception e) {
    Optional<ErrorResponse> error = S3ErrorMapper.errorOf(connector.bucket(), e);
    if (error.isPresent()) {
      return S3Errors.responded(kind(reading, error.get(), e), described(name, at), error.get(), e);
    }
    if (S3ErrorMapper.isRefusedByAuditor(e)) {
      return S3ErrorMapper.isForbiddenUpload(e)
          ? S3Errors.uploadsOff(described(name, at), at.bucket(), e)
          : S3Errors.unsent(described(name, at), e);
    }
    if (S3ErrorMapper.isShutDown(e)) {
      // Somebody closed the file system. The next request opens the one that replaces it.
      connectors.remove(at.bucket(), connector);
    } else if (S3ErrorMapper.isWithoutCredentials(connector.bucket(), e)) {
      return S3Errors.noCredentials(described(name, at), e);
    }
    return S3Errors.noUsableResponse(described(name, at), e);
  }

  /** A closed file system has no new spans. The next request opens the one that replaces it. */
  private AuditSpan active(Span span, Connector connector, String name, Location at)
      throws StoreException {
    try {
      return span.in(connector);
    } catch (IOException | RuntimeException e) {
      connectors.remove(at.bucket(), connector);
      throw S3Errors.noSpan(described(name, at), e);
    }
  }

  /** A key may contain control characters, which a log line should not. */
  private static String described(String name, Location at) {
    return name + " " + at.toString().replaceAll("\\p{Cntrl}", "?");
  }

  /**
   * A conditional write is refused for good only if it was sent once. Otherwise an earlier try may
   * have been applied, and credentials may have expired since.
   */
  private static Kind kind(Reading reading, ErrorResponse error, Exception failure) {
    Kind kind = reading.of(error);
    boolean isOpen = failure instanceof RepeatedRequestException && kind != Kind.REFUSED;
    return isOpen ? Kind.UNKNOWN : kind;
  }

  /** The limit of S3. Other servers accept longer keys, but such a table could not move to S3. */
  private static void checkLength(String name, Location at) throws StoreException {
    int bytes = at.key().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > RecordNames.KEY_BYTES_MAX) {
      throw S3Errors.keyTooLong(described(name, at), bytes, RecordNames.KEY_BYTES_MAX);
    }
  }

  private Connector connector(String name, Location at) throws StoreException {
    Connector known = connectors.get(at.bucket());
    if (known != null) {
      return known;
    }
    try {
      Connector opened = Connector.open(fileSystems.of(at.bucket()));
      Connector raced = connectors.putIfAbsent(at.bucket(), opened);
      return raced == null ? opened : raced;
    } catch (IOException | RuntimeException e) {
      throw S3Errors.unsent(described(name, at), e);
    }
  }
}
