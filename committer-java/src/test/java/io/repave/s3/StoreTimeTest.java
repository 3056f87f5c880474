package io.repave.s3;

import static java.time.format.DateTimeFormatter.RFC_1123_DATE_TIME;
import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.testing.AwsSdk;
import io.repave.testing.StubS3;
import io.repave.testing.StubS3.Answer;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the answer to a HEAD tells of the store's clock. */
class StoreTimeTest {
  /** SDK 1 hides the date of an answer. An age of 0 must not look like one that is not known. */
  @ParameterizedTest
  @ValueSource(ints = {0, 3})
  void aHeadTellsWhenTheStoreAnsweredHoweverYoungTheObjectIs(int seconds) throws Exception {
    String written =
        RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC).minusSeconds(seconds));
    Answer answer = new Answer(200, Map.of("ETag", "\"tag\"", "Last-Modified", written), "");
    try (StubS3 stub = new StubS3(request -> answer);
        FileSystem files = stub.files("lake", stub.configuration())) {
      ListedObject head =
          S3Stores.open(bucket -> files).head(new Location("lake", "t/head.json")).orElseThrow();
      if (AwsSdk.isTwo()) {
        assertThat(head.answeredMillis().orElseThrow())
            .isBetween(System.currentTimeMillis() - 10_000, System.currentTimeMillis());
      } else {
        assertThat(head.answeredMillis()).isEmpty();
      }
    }
  }
}
