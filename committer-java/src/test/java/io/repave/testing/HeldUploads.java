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

/** All uploads that one store in memory has ever had, by id. Not for several threads. */
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

  /** How many were started so far: the order of the newest. */
  int started() {
    return started;
  }

  /** The upload of that id, if it is one of that key; otherwise null. */
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

  /** A marker is an upload's place in the order: it may be gone by the time of the next page. */
  UploadPage page(Location folder, String marker, int most) {
    List<OpenUpload> page = new ArrayList<>();
    String last = marker.isEmpty() ? "0 " : marker;
    for (HeldUpload upload : open(each -> isIn(folder, each.at()) && isAfter(each, marker))) {
      if (page.size() == most) {
        return new UploadPage(page, last);
      }
      page.add(new OpenUpload(upload.at().key(), upload.uploadId(), upload.initiatedMillis()));
      last = order(upload.uploadId()) + " " + upload.at().key();
    }
    return new UploadPage(page, "");
  }

  private static boolean isIn(Location folder, Location at) {
    return at.bucket().equals(folder.bucket()) && at.key().startsWith(folder.prefix());
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

  /** The order of listings, buckets apart. */
  static int compare(Location left, Location right) {
    int buckets = left.bucket().compareTo(right.bucket());
    return buckets != 0 ? buckets : Utf8Order.compare(left.key(), right.key());
  }
}
