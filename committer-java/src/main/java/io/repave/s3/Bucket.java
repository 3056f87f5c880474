package io.repave.s3;

import io.repave.core.store.Content;
import io.repave.core.store.DeleteFailure;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoredObject;
import io.repave.core.store.UploadPage;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One bucket. It decides for both generations of the SDK which headers a request has, what counts
 * as absent, how large an object may be, and how a listing continues.
 *
 * <p>A response without a member that S3 always sends (a tag, an upload id, the bucket's name) is
 * refused with {@link InvalidResponseException}. Gateways return errors with status 200, and an
 * error must never be read as an empty listing.
 */
final class Bucket {
  private static final int ARRAY_BYTES_MAX = Integer.MAX_VALUE - 16;

  private final String name;
  private final SdkBucket sdk;
  private final WriteSettings settings;

  Bucket(String name, SdkBucket sdk, WriteSettings settings) {
    this.name = name;
    this.sdk = sdk;
    this.settings = settings;
  }

  /** One GET. */
  private interface Get {
    SdkBucket.Body run();
  }

  Optional<StoredObject> read(String key, long maxBytes) throws IOException {
    Optional<SdkBucket.Body> found = found(() -> sdk.get(key, settings.customerKey()));
    if (found.isEmpty()) {
      return Optional.empty();
    }
    SdkBucket.Body body = found.get();
    try (InputStream content = body.content()) {
      String etag = InvalidResponseException.tag(body.etag());
      // One byte more than allowed arrives only if the object is too large.
      byte[] bytes = content.readNBytes((int) Math.min(maxBytes + 1, ARRAY_BYTES_MAX));
      if (bytes.length > maxBytes) {
        body.abort().run();
        throw S3Errors.objectTooLarge(name, key, maxBytes);
      }
      return Optional.of(new StoredObject(bytes, etag));
    }
  }

  Optional<byte[]> readRange(String key, long from, int length) throws IOException {
    long to = from + length - 1;
    Optional<SdkBucket.Body> found =
        found(() -> sdk.getRange(key, from, to, settings.customerKey()));
    if (found.isEmpty()) {
      return Optional.empty();
    }
    SdkBucket.Body body = found.get();
    try (InputStream content = body.content()) {
      // A server that ignores the range sends more; an object that ends earlier has less.
      byte[] bytes = content.readNBytes(length + 1);
      if (bytes.length > length) {
        body.abort().run();
      }
      if (bytes.length != length) {
        throw S3Errors.wrongRange(name, key, from, length, bytes.length);
      }
      return Optional.of(bytes);
    }
  }

  /** The response to a GET; empty when the object is absent. */
  private Optional<SdkBucket.Body> found(Get get) throws IOException {
    SdkBucket.Body body;
    try {
      body = get.run();
    } catch (RuntimeException e) {
      if (isNoSuchKey(e)) {
        return Optional.empty();
      }
      throw e;
    }
    return Optional.of(InvalidResponseException.require(body, "an object"));
  }

  Optional<ListedObject> head(String key) throws IOException {
    try {
      return Optional.of(listed(sdk.head(key, settings.customerKey()), key));
    } catch (RuntimeException e) {
      // A HEAD response has no body, so no code: an absent bucket looks the same.
      if (sdk.errorOf(e).filter(error -> error.status() == 404).isPresent()) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Writes an object. Returns its tag. */
  String put(String key, Content content) throws IOException {
    return InvalidResponseException.tag(sdk.put(key, content, settings.starting(key)));
  }

  /** Writes an object with these conditions, as HTTP headers. Returns its tag. */
  String put(String key, Content content, Map<String, String> conditions) throws IOException {
    Map<String, String> headers = new HashMap<>(settings.starting(key));
    headers.putAll(conditions);
    return InvalidResponseException.tag(sdk.putOnCondition(key, content, headers).etag());
  }

  /**
   * Writes an object whose conditions were checked before. A request that the SDK repeated counts
   * as one without an answer, also if the last try was refused, because the first one may be
   * applied after the next write.
   */
  String putOnce(String key, Content content) throws IOException {
    SdkBucket.Written written;
    try {
      written = sdk.putOnCondition(key, content, settings.starting(key));
    } catch (RepeatedRequestException e) {
      throw S3Errors.repeatedWrite(key, e);
    } catch (RuntimeException e) {
      if (sdk.errorOf(e).filter(ErrorResponse::isTooMany).isPresent()) {
        throw UnappliedWriteException.busy(e);
      }
      throw e;
    }
    if (written.isRepeated()) {
      throw S3Errors.repeatedWrite(key);
    }
    return InvalidResponseException.tag(written.etag());
  }

  /** One page with at least one key, unless it is the last page. */
  ListPage list(String prefix, String after) throws IOException {
    EmptyPageLimit limit = new EmptyPageLimit();
    String token = null;
    while (true) {
      SdkBucket.ListResponse page =
          sdk.list(prefix, after.isEmpty() || token != null ? null : after, token);
      InvalidResponseException.require(page.bucket(), "the bucket's name");
      if (!page.objects().isEmpty() || !page.isTruncated()) {
        List<ListedObject> objects = new ArrayList<>(page.objects().size());
        for (SdkBucket.ObjectEntry each : page.objects()) {
          objects.add(listed(each, each.key()));
        }
        return ListPage.after(after, objects, page.isTruncated());
      }
      token = limit.next(page.nextToken());
    }
  }

  String createUpload(String key) throws IOException {
    return InvalidResponseException.require(
        sdk.createUpload(key, settings.starting(key)), "an upload id");
  }

  String uploadPart(String key, String uploadId, int number, Content content) throws IOException {
    return InvalidResponseException.tag(
        sdk.uploadPart(key, uploadId, number, content, settings.customerKey()));
  }

  void complete(PendingUpload upload) throws IOException {
    InvalidResponseException.tag(sdk.complete(upload, settings.customerKey()));
  }

  void abort(String key, String uploadId) {
    sdk.abort(key, uploadId);
  }

  UploadPage listUploads(String prefix, UploadMarker after) throws IOException {
    SdkBucket.UploadsResponse page =
        sdk.listUploads(prefix, nullIfEmpty(after.key()), nullIfEmpty(after.uploadId()));
    InvalidResponseException.require(page.bucket(), "the bucket's name");
    String next =
        page.isTruncated() ? after.next(page.nextKey(), page.nextUploadId()).encoded() : "";
    return new UploadPage(page.uploads(), next);
  }

  List<DeleteFailure> delete(List<String> keys) throws IOException {
    return sdk.delete(keys).failures(name, keys.size());
  }

  /** Deletes one key; an absent key counts as deleted, also where the store answers 404 to it. */
  void delete(String key) {
    try {
      sdk.delete(key);
    } catch (RuntimeException e) {
      if (!isNoSuchKey(e)) {
        throw e;
      }
    }
  }

  Optional<ErrorResponse> errorOf(Throwable failure) {
    return sdk.errorOf(failure);
  }

  boolean isFromOtherService(Throwable failure) {
    return sdk.isFromOtherService(failure);
  }

  private static ListedObject listed(SdkBucket.ObjectEntry entry, String key)
      throws InvalidResponseException {
    return new ListedObject(
        key,
        InvalidResponseException.require(entry.bytes(), "a size"),
        InvalidResponseException.tag(entry.etag()),
        entry.modifiedMillis(),
        entry.sentMillis() == 0
            ? ListedObject.UNKNOWN_AGE
            : Math.max(0, entry.sentMillis() - entry.modifiedMillis()));
  }

  private boolean isNoSuchKey(RuntimeException failure) {
    return sdk.errorOf(failure)
        .filter(error -> error.status() == 404 && "NoSuchKey".equals(error.code()))
        .isPresent();
  }

  private static String nullIfEmpty(String text) {
    return text.isEmpty() ? null : text;
  }
}
