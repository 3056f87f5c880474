package io.repave.hadoop.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.CommitFailedException;
import io.repave.core.record.CommitId;
import io.repave.hadoop.TableAccess;
import io.repave.testing.LabProxy;
import io.repave.testing.ProxiedS3;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@Tag("http")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JobRecordHttpTest {
  private ProxiedS3 s3;
  private LabProxy proxy;

  @BeforeAll
  void start() throws IOException {
    s3 = ProxiedS3.start("lake");
    proxy = s3.proxy();
  }

  @AfterAll
  void stop() throws IOException {
    s3.close();
  }

  /** S3 answers 409 while another conditional write to the key, such as a first try, is running. */
  @Test
  void aConflictWithoutARecordIsTriedAgain() throws Exception {
    Configuration conf = s3.configuration();
    proxy.faults(
        "[{\"do\": \"error\", \"op\": \"PutObject\", \"key\": \"_repave/jobs/\", \"status\": 409,"
            + " \"code\": \"ConditionalRequestConflict\", \"times\": 1}]");
    JobRecord record = new JobRecord(TableAccess.of(conf, "s3a://lake/conflict"), "job_1-0");
    CommitId commit = new CommitId("0b7f7f1e-6a64-4a37-9d0e-0f3f1c1f9a11", 0);

    record.create(commit);

    assertThat(record.commitOfTask(conf)).isEqualTo(commit);
  }

  /** Only an existing record shows that another job has the id. */
  @Test
  void aStoreThatRefusesTheRecordIsNotTakenForAnotherJob() throws Exception {
    proxy.faults(
        "[{\"do\": \"error\", \"op\": \"PutObject\", \"key\": \"_repave/jobs/\", \"status\": 403,"
            + " \"code\": \"AccessDenied\"}]");
    TableAccess access = TableAccess.of(s3.configuration(), "s3a://lake/denied");
    JobRecord record = new JobRecord(access, "job_2-0");
    CommitId commit = new CommitId("0b7f7f1e-6a64-4a37-9d0e-0f3f1c1f9a12", 0);

    assertThatThrownBy(() -> record.create(commit))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("could not be stored in s3://lake/denied/_repave/jobs/job_2-0")
        .hasMessageContaining("AccessDenied")
        .hasMessageNotContaining("delete that object");
    proxy.faults("[]");
  }
}
