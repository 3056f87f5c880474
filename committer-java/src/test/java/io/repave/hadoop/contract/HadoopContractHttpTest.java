package io.repave.hadoop.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.hadoop.RepaveFileSystem;
import io.repave.testing.EmbeddedS3;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Hadoop's own contract tests of reading, from its test jar. */
@Tag("http")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HadoopContractHttpTest {
  /** They call a method of AssertJ that the version of these tests has removed. */
  private static final Set<String> OF_ANOTHER_ASSERTJ =
      Set.of("testFloatingPointLength", "testOpenFileApplyAsyncRead", "testListStatusIteratorFile");

  private EmbeddedS3 server;

  @BeforeAll
  void start() throws IOException {
    server = EmbeddedS3.start("ministack");
    server.createBucket("lake");
    Configuration conf = server.configuration(server.endpoint());
    conf.set("fs.repave.impl", RepaveFileSystem.class.getName());
    RepaveContract.server = conf;
  }

  @AfterAll
  void stop() throws IOException {
    FileSystem.closeAll();
    server.close();
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        RepaveContract.Open.class,
        RepaveContract.Seek.class,
        RepaveContract.GetFileStatus.class,
        RepaveContract.ContentSummary.class,
        RepaveContract.Unbuffer.class
      })
  void hadoopsOwnTestsPass(Class<?> contract) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectClass(contract))
            .filters(
                (PostDiscoveryFilter)
                    test ->
                        FilterResult.includedIf(
                            !OF_ANOTHER_ASSERTJ.contains(test.getDisplayName())))
            .build();
    SummaryGeneratingListener results = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, results);

    StringWriter failures = new StringWriter();
    results.getSummary().printFailuresTo(new PrintWriter(failures), 12);
    assertThat(results.getSummary().getTotalFailureCount()).as(failures.toString()).isZero();
    assertThat(results.getSummary().getTestsSucceededCount()).isPositive();
    System.out.printf(
        "%s: %d of Hadoop's tests passed, %d do not apply%n",
        contract.getSimpleName(),
        results.getSummary().getTestsSucceededCount(),
        results.getSummary().getTestsAbortedCount() + results.getSummary().getTestsSkippedCount());
  }
}
