package io.repave.s3;

import io.repave.core.store.Content;
import io.repave.core.store.ListedObject;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;

/** Who decides whether a conditional write may happen. */
interface Conditions {
  String putIfAbsent(Bucket bucket, String key, ByteBuffer content) throws IOException;

  String putIfMatch(Bucket bucket, String key, ByteBuffer content, String etag) throws IOException;

  /** The store decides, atomically: one request. */
  Conditions OF_THE_STORE =
      new Conditions() {
        @Override
        public String putIfAbsent(Bucket bucket, String key, ByteBuffer content)
            throws IOException {
          return bucket.put(key, Content.of(content), Map.of("If-None-Match", "*"));
        }

        @Override
        public String putIfMatch(Bucket bucket, String key, ByteBuffer content, String etag)
            throws IOException {
          return bucket.put(key, Content.of(content), Map.of("If-Match", "\"" + etag + "\""));
        }
      };

  /** We decide, and then write: two requests, and right only while nobody else writes. */
  Conditions OF_A_SINGLE_WRITER =
      new Conditions() {
        @Override
        public String putIfAbsent(Bucket bucket, String key, ByteBuffer content)
            throws IOException {
          if (bucket.head(key).isPresent()) {
            throw refused(key, "is there already");
          }
          return bucket.put(key, Content.of(content), Map.of());
        }

        @Override
        public String putIfMatch(Bucket bucket, String key, ByteBuffer content, String etag)
            throws IOException {
          Optional<ListedObject> found = bucket.head(key);
          if (found.isEmpty() || !found.get().etag().equals(etag)) {
            throw refused(key, "is no longer what was read");
          }
          return bucket.put(key, Content.of(content), Map.of());
        }

        private StoreException refused(String key, String why) {
          return new StoreException(Kind.REFUSED, key + " " + why + ", so it was not written");
        }
      };
}
