package io.repave.testing;

import io.repave.core.store.Location;
import io.repave.core.store.OpenUpload;
import io.repave.core.store.UploadPage;
import io.repave.core.store.Utf8Order;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.function.Predicate;

/** All uploads that a {@link MemoryObjectStore} has ever had, by id. Not thread-safe. */
final class HeldUploads {
  private static final String ID = "upload-";
  private static final Comparator<HeldUpload> ORDER =
      Comparator.comparing(HeldUpload::at, HeldUploads::compare)
          .thenComparingInt(upload -> order(upload.uploadId()));

  private final HashMap<String, HeldUpload> uploads;
  private int started;

  HeldUploads() {
    this.uploads = new HashMap<>();
  }

  private HeldUploads(HeldUploads other) {
    this.uploads = new HashMap<>(other.uploads);
    this.started = other.started;
  }

  HeldUploads copy() {
    return new HeldUploads(this);
  }

  String start(Location at, long nowMillis) {
    String uploadId = ID + ++started;
    uploads.put(uploadId, HeldUpload.start(at, uploadId, nowMillis));
    return uploadId;
  }

  /** The number of uploads that were started, which is the order of the newest one. */
  int started() {
    return started;
  }

  /** The upload of that id when it belongs to that key; otherwise null. */
  HeldUpload find(Location at, String uploadId) {
    HeldUpload upload = uploads.get(uploadId);
    return upload == null || !upload.at().equals(at) ? null : upload;
  }

  void replace(HeldUpload upload) {
    uploads.put(upload.uploadId(), upload);
  }

  List<HeldUpload> open() {
    return open(upload -> true);
  }

  private List<HeldUpload> open(Predicate<HeldUpload> wanted) {
    if (uploads.isEmpty()) {
      return List.of();
    }
    List<HeldUpload> found = new ArrayList<>();
    for (HeldUpload upload : uploads.values()) {
      if (upload.open() && wanted.test(upload)) {
        found.add(upload);
      }
    }
    found.sort(ORDER);
    return found;
  }

  /**
   * A marker is a place in the order, because its upload may be gone when the next page is read.
   */
  UploadPage page(Predicate<Location> isWanted, String marker, int most) {
    List<OpenUpload> page = new ArrayList<>();
    String last = marker.isEmpty() ? "0 " : marker;
    for (HeldUpload upload : open(each -> isWanted.test(each.at()) && isAfter(each, marker))) {
      if (page.size() == most) {
        return new UploadPage(page, last);
      }
      page.add(new OpenUpload(upload.at().key(), upload.uploadId(), upload.initiatedMillis()));
      last = order(upload.uploadId()) + " " + upload.at().key();
    }
    return new UploadPage(page, "");
  }

  private static boolean isAfter(HeldUpload upload, String marker) {
    if (marker.isEmpty()) {
      return true;
    }
    int space = marker.indexOf(' ');
    int keys = Utf8Order.compare(upload.at().key(), marker.substring(space + 1));
    int marked = Integer.parseInt(marker.substring(0, space));
    return keys > 0 || keys == 0 && order(upload.uploadId()) > marked;
  }

  /** The uploads are numbered from 1. */
  static int order(String uploadId) {
    return Integer.parseInt(uploadId.substring(ID.length()));
  }

  /** The order of listings, bucket by bucket. */
  static int compare(Location left, Location right) {
    int buckets = left.bucket().compareTo(right.bucket());
    return buckets != 0 ? buckets : Utf8Order.compare(left.key(), right.key());
  }
}
