package io.repave.s3;

import io.repave.core.store.Content;
import io.repave.core.store.ListedObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;

/** Decides whether a conditional write may happen. */
interface ConditionalWrites {
  String putIfAbsent(Bucket bucket, String key, ByteBuffer content) throws IOException;

  String putIfMatch(Bucket bucket, String key, ByteBuffer content, String etag) throws IOException;

  /** The store decides, atomically: one request. */
  ConditionalWrites OF_THE_STORE =
      new ConditionalWrites() {
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

  /** Repave compares, and then writes: two requests. Correct only without concurrent writers. */
  ConditionalWrites OF_A_SINGLE_WRITER =
      new ConditionalWrites() {
        @Override
        public String putIfAbsent(Bucket bucket, String key, ByteBuffer content)
            throws IOException {
          if (found(bucket, key).isPresent()) {
            throw S3Errors.exists(key);
          }
          return bucket.putOnce(key, Content.of(content));
        }

        @Override
        public String putIfMatch(Bucket bucket, String key, ByteBuffer content, String etag)
            throws IOException {
          Optional<ListedObject> found = found(bucket, key);
          if (found.isEmpty() || !found.get().etag().equals(etag)) {
            throw S3Errors.changed(key);
          }
          return bucket.putOnce(key, Content.of(content));
        }

        private Optional<ListedObject> found(Bucket bucket, String key)
            throws UnappliedWriteException {
          try {
            return bucket.head(key);
          } catch (IOException | RuntimeException e) {
            throw UnappliedWriteException.comparison(e);
          }
        }
      };
}
