package io.repave.core.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.ThreadMXBean;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.TaskLedgerReader;
import io.repave.core.ledger.Upload;
import io.repave.core.record.SampleRecords.Parser;
import io.repave.core.record.SampleRecords.Sample;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A damaged or hostile record is either read, or refused with a InvalidRecordException. */
class RecordFuzzTest {
  private static final int SEEDS = 1_000;
  private static final long MIB = 1 << 20;

  static List<Sample> samples() throws IOException {
    return SampleRecords.all();
  }

  static List<String> paths() {
    return HostileJson.PATHS;
  }

  @ParameterizedTest
  @MethodSource("samples")
  void aSampleIsReadAndWrittenWithoutLoss(Sample sample) throws Exception {
    assertThat(sample.parser().parse(sample.bytes())).isNotNull();
    assertThat(sample.parser().parse(SampleRecords.sealed(sample.json().toString())))
        .isEqualTo(sample.parser().parse(sample.bytes()));
  }

  @ParameterizedTest
  @MethodSource("samples")
  void damagedBytesAreRefusedOrSayTheSame(Sample sample) throws Exception {
    Object undamaged = sample.parser().parse(sample.bytes());
    int refused = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      byte[] damaged = damaged(sample.bytes(), new Random(seed));
      Object read = readOrRefused(sample.parser(), damaged, seed);
      if (read == null) {
        refused++;
      } else {
        assertThat(read).as("seed %d", seed).isEqualTo(undamaged);
      }
    }
    System.out.printf("%s: seeds 0 to %d, %d refused%n", sample, SEEDS - 1, refused);
    assertThat(refused).isGreaterThan(SEEDS / 2);
  }

  @ParameterizedTest
  @MethodSource("samples")
  void hostileMembersUnderARightChecksumAreRefusedOrHarmless(Sample sample) throws Exception {
    int refused = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      String json = HostileJson.change(sample.json(), new Random(seed)).toString();
      byte[] bytes = SampleRecords.sealed(json);
      Object read = readOrRefused(sample.parser(), bytes, seed);
      if (read == null) {
        refused++;
      }
    }
    System.out.printf("%s: hostile seeds 0 to %d, %d refused%n", sample, SEEDS - 1, refused);
    assertThat(refused).isGreaterThan(SEEDS / 10);
  }

  /** Null when the record was refused. Any other failure names its seed. */
  private static Object readOrRefused(Parser parser, byte[] bytes, long seed) {
    try {
      return parser.parse(bytes);
    } catch (InvalidRecordException e) {
      assertThat(e.getMessage()).as("seed %d", seed).isNotBlank();
      return null;
    } catch (Throwable e) {
      return fail("seed " + seed, e);
    }
  }

  private static byte[] damaged(byte[] bytes, Random random) {
    byte[] damaged = bytes.clone();
    switch (random.nextInt(4)) {
      case 0 -> damaged[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      case 1 -> damaged = Arrays.copyOf(bytes, random.nextInt(bytes.length));
      case 2 -> damaged[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      default -> {
        int at = random.nextInt(bytes.length);
        damaged = Arrays.copyOf(bytes, bytes.length + 3);
        System.arraycopy(bytes, at, damaged, at + 3, bytes.length - at);
      }
    }
    return damaged;
  }

  @ParameterizedTest
  @MethodSource("paths")
  void aPathOutsideTheTableIsRefusedInEveryRecord(String path) throws Exception {
    int changes = 0;
    for (Sample sample : samples()) {
      // An index is read without its files, which have their own parser and sample.
      boolean index = sample.name().equals("ledger") || sample.name().equals("manifest");
      for (String at : index ? List.<String>of() : List.of("partition", "out", "in")) {
        String json = sample.json().toString();
        String changed = withPath(json, at, path);
        if (!changed.equals(json)) {
          changes++;
          assertThatThrownBy(() -> sample.parser().parse(SampleRecords.sealed(changed)))
              .as("%s in %s", at, sample)
              .isInstanceOf(InvalidRecordException.class);
        }
      }
    }
    assertThat(changes).isEqualTo(7);
  }

  private static String withPath(String json, String member, String path) throws Exception {
    String text = new ObjectMapper().writeValueAsString(path);
    return switch (member) {
      case "partition" -> json.replace("\"partition\":\"dt=1\"", "\"partition\":" + text);
      case "in", "out" ->
          json.replaceFirst(
              "(\"" + member + "\":\\[\\{\"name\":)\"[^\"]*\"",
              "$1" + Matcher.quoteReplacement(text));
      default -> json;
    };
  }

  @Test
  void aDuplicateKeyIsRefused() throws Exception {
    for (Sample sample : samples()) {
      String json = sample.json().toString();
      String twice = json.substring(0, json.length() - 1) + ",\"commit\":\"a\",\"commit\":\"b\"}";
      assertThatThrownBy(() -> sample.parser().parse(SampleRecords.sealed(twice)))
          .isInstanceOf(InvalidRecordException.class);
    }
  }

  @Test
  void aSecondJsonObjectBehindTheFirstIsRefused() throws Exception {
    for (Sample sample : samples()) {
      String json = sample.json().toString();
      assertThatThrownBy(() -> sample.parser().parse(SampleRecords.sealed(json + json)))
          .isInstanceOf(InvalidRecordException.class);
    }
  }

  @Test
  void aNewerFormatIsRefusedAndSaysSo() throws Exception {
    for (Sample sample : samples()) {
      byte[] newer = SampleRecords.sealed(sample.json().put("format", 3).toString());
      assertThatThrownBy(() -> sample.parser().parse(newer))
          .isInstanceOf(InvalidRecordException.class)
          .hasMessageContaining("has format 3, newer")
          .hasMessageContaining("Nothing was changed; use a newer Repave");
    }
  }

  @Test
  void aWrongChecksumIsRefused() throws Exception {
    for (Sample sample : samples()) {
      String text = new String(SampleRecords.unpacked(sample.bytes()), StandardCharsets.UTF_8);
      byte[] changed =
          text.replaceFirst("\"format\":([12])", "\"format\":$1 ").getBytes(StandardCharsets.UTF_8);
      assertThatThrownBy(() -> sample.parser().parse(changed))
          .isInstanceOf(InvalidRecordException.class)
          .hasMessageContaining("checksum");
    }
  }

  @Test
  void deepNestingIsRefused() throws Exception {
    String deep = "[".repeat(100_000) + "]".repeat(100_000);
    for (Sample sample : samples()) {
      String json = sample.json().toString();
      String nested = json.substring(0, json.length() - 1) + ",\"x\":" + deep + "}";
      assertThatThrownBy(() -> sample.parser().parse(SampleRecords.sealed(nested)))
          .isInstanceOf(InvalidRecordException.class);
    }
  }

  @Test
  void aGzipBombIsRefusedInBoundedMemory() throws Exception {
    byte[] bomb = SampleRecords.packed(new byte[128 << 20]);
    assertThat(bomb).hasSizeLessThan(1 << 20);
    assertRefusedWithin(300 * MIB, bomb, "unpacks to more than 64 MiB");
  }

  @Test
  void millionsOfTinyValuesAreRefusedInBoundedMemory() throws Exception {
    String json = "{\"format\":1,\"record\":\"head\",\"x\":[" + "{},".repeat(20_000_000) + "{}]}";
    byte[] many = SampleRecords.packed(SampleRecords.sealed(json));
    assertRefusedWithin(500 * MIB, many, "more values");
  }

  private static void assertRefusedWithin(long bytes, byte[] record, String why) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    assertThatThrownBy(() -> HeadJson.read(record, "head.json"))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining(why);
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(bytes);
  }

  @Test
  void aTasksLedgerThatIsDamagedIsReadOrRefused() {
    byte[] ledger = TestTable.taskLedger(SampleRecords.uploads());
    int refused = 0;
    for (long seed = 0; seed < 10 * SEEDS; seed++) {
      byte[] damaged = damaged(ledger, new Random(seed));
      refused += readOrRefused(RecordFuzzTest::uploads, damaged, seed) == null ? 1 : 0;
    }
    System.out.printf("task ledger: seeds 0 to %d, %d refused%n", 10 * SEEDS - 1, refused);
    assertThat(refused).isGreaterThan(SEEDS);
  }

  @Property(tries = 5_000)
  void anyBytesAreATasksLedgerOrRefused(@ForAll @Size(max = 200) byte[] bytes) {
    readOrRefused(RecordFuzzTest::uploads, bytes, 0);
  }

  @Property(tries = 5_000)
  void anyTextIsTheNameOfACommitOrRefused(@ForAll String text) {
    readOrRefused(bytes -> CommitId.parse(text), new byte[0], 0);
  }

  @Test
  void theCountsInATasksLedgerAreNotTrusted() {
    // Format 1, 2^31 - 1 files, 0 bytes, no partition.
    byte[] bytes = {1, -1, -1, -1, -1, 7, 0, 0};
    assertThatThrownBy(() -> uploads(bytes)).isInstanceOf(InvalidRecordException.class);
  }

  private static List<Upload> uploads(byte[] bytes) throws InvalidRecordException {
    TaskLedgerReader reader = new TaskLedgerReader(bytes);
    List<Upload> uploads = new ArrayList<>();
    while (reader.hasNext()) {
      uploads.add(reader.next());
      assertThat(uploads.get(uploads.size() - 1).bytes()).isNotNegative();
    }
    return uploads;
  }

  @Test
  void theNameOfACommitHasAValidDate() {
    for (String name :
        List.of(
            "",
            "-",
            "20261321T000000.000Z-commit-000001",
            "20260230T250000.000Z-commit-000001",
            "20261121T000000.000Z-../../x",
            "20261121T000000.000Z-short",
            "20261121T000000.000Z-" + "x".repeat(65))) {
      assertThatThrownBy(() -> CommitId.parse(name)).isInstanceOf(InvalidRecordException.class);
    }
  }
}
