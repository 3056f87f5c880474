package io.repave.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.Progress;
import io.repave.core.record.CommitKind;
import io.repave.testing.StubS3;
import io.repave.testing.StubS3.Answer;
import io.repave.testing.StubS3.Request;
import io.repave.testing.TinyS3;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** A job begins only if its store keeps conditional writes, or the user declares one writer. */
class StoreRefusalTest {
  private static final CommitRequest REQUEST =
      new CommitRequest(
          "2f0c0000-0000-4000-8000-000000000000", CommitKind.APPEND, List.of(), "", "");

  private static TableAccess table(StubS3 stub, String singleWriter) throws IOException {
    Configuration conf = stub.configuration();
    conf.set("fs.s3a.impl.disable.cache", "true");
    conf.set("repave.single.writer", singleWriter);
    return TableAccess.of(conf, "s3a://lake/t");
  }

  @Test
  void aJobDoesNotBeginWhereConditionsAreIgnored() throws IOException {
    try (StubS3 stub = new StubS3(new TinyS3(TinyS3.Conditions.IGNORED))) {
      TableAccess shared = table(stub, "false");

      assertThatThrownBy(() -> shared.tableToBegin(Progress.SILENT).begin(REQUEST))
          .hasMessageContaining("does not support atomic conditional writes")
          .hasMessageContaining("repave.single.writer=true");
    }
  }

  @Test
  void aJobBeginsThereWhenItDeclaresASingleWriter() throws IOException {
    try (StubS3 stub = new StubS3(new TinyS3(TinyS3.Conditions.IGNORED))) {
      TableAccess single = table(stub, "true");

      assertThatCode(() -> single.tableToBegin(Progress.SILENT).begin(REQUEST))
          .doesNotThrowAnyException();
      assertThat(stub.requests())
          .noneMatch(request -> request.header("If-Match") != null)
          .noneMatch(request -> request.header("If-None-Match") != null);
    }
  }

  /** As with an encryption key that is disabled for a while. */
  @Test
  void aStoreThatRefusedAllWritesIsTriedOutAgain() throws Exception {
    TinyS3 store = new TinyS3(TinyS3.Conditions.KEPT);
    AtomicBoolean disabled = new AtomicBoolean(true);
    Function<Request, Answer> answers =
        request ->
            disabled.get() && request.method().equals("PUT")
                ? Answer.error(400, "KMS.DisabledException", "the key is disabled")
                : store.apply(request);
    try (StubS3 stub = new StubS3(answers)) {
      TableAccess shared = table(stub, "false");

      assertThatThrownBy(() -> shared.tableToBegin(Progress.SILENT).begin(REQUEST))
          .hasMessageContaining("the key is disabled")
          .hasMessageNotContaining("conditional writes");
      disabled.set(false);
      assertThatCode(() -> shared.tableToBegin(Progress.SILENT).begin(REQUEST))
          .doesNotThrowAnyException();
    }
  }

  @Test
  void tryingTheStoreOutNamesWhatIsMissing() throws Exception {
    try (StubS3 stub = new StubS3(new TinyS3(TinyS3.Conditions.NOT_IMPLEMENTED))) {
      StoreFindings findings = table(stub, "false").tryOutStore();

      assertThat(findings.isSafe()).isFalse();
      assertThat(findings.missing()).first().asString().contains("does not support writes");
    }
  }
}
