package io.repave.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import io.repave.testing.EmbeddedS3;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("http")
class S3ObjectStoreHttpTest {
  private static EmbeddedS3 server;
  private static FileSystem files;
  private static ObjectStore store;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3.start("ministack");
    server.createBucket("lake");
    files = EmbeddedS3.files("lake", server.configuration(server.endpoint()));
    store = S3Stores.open(bucket -> files);
  }

  @AfterAll
  static void stop() throws IOException {
    files.close();
    server.close();
  }

  private static Location at(String key) {
    return new Location("lake", key);
  }

  @Test
  void anUploadIsAnObjectOnceCompleted() throws IOException {
    Location at = at("t/dt=1 %+é/part-0.parquet");
    String id = store.createUpload(at);
    String etag = store.uploadPart(at, id, 1, ByteBuffer.wrap("rows".getBytes()));
    assertThat(store.head(at)).isEmpty();
    assertThat(store.listUploads(at("t"), "").uploads()).hasSize(1);
    store.complete(new PendingUpload(at, id, 4, 4, List.of(etag)));
    assertThat(store.head(at).map(ListedObject::bytes)).contains(4L);
    ListPage page = store.list(at("t"), "");
    assertThat(page.objects()).extracting(ListedObject::key).containsExactly(at.key());
    assertThat(page.more()).isFalse();
    assertThat(store.delete(List.of(at, at("t/absent")))).isEmpty();
    assertThat(store.read(at, 10)).isEmpty();
  }

  @Test
  void aConditionalWriteIsRefusedWhenItsConditionFails() throws IOException {
    Location at = at("c/head.json");
    String first = store.putIfAbsent(at, ByteBuffer.wrap("1".getBytes()));
    String second = store.putIfMatch(at, ByteBuffer.wrap("22".getBytes()), first);
    assertThatThrownBy(() -> store.putIfMatch(at, ByteBuffer.wrap("3".getBytes()), first))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.REFUSED));
    assertThat(store.read(at, 10).orElseThrow().etag()).isEqualTo(second);
  }
}
