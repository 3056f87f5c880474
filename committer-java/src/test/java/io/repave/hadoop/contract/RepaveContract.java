package io.repave.hadoop.contract;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.contract.AbstractContractContentSummaryTest;
import org.apache.hadoop.fs.contract.AbstractContractGetFileStatusTest;
import org.apache.hadoop.fs.contract.AbstractContractOpenTest;
import org.apache.hadoop.fs.contract.AbstractContractSeekTest;
import org.apache.hadoop.fs.contract.AbstractContractUnbufferTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** Hadoop's requirements on such a file system, on the server that the test started. */
public final class RepaveContract extends AbstractFSContract {
  static volatile Configuration server;

  private FileSystem files;

  RepaveContract(Configuration conf) {
    super(conf);
    if (server == null) {
      throw new IllegalStateException("Run HadoopContractHttpTest: it starts the server first.");
    }
    // Created by Hadoop's tests, so the server is passed by these fields.
    server.forEach(entry -> getConf().set(entry.getKey(), entry.getValue()));
    addConfResource("contract/repave.xml");
  }

  @Override
  public void init() throws IOException {
    FileSystem store = FileSystem.get(URI.create("s3a://lake"), getConf());
    files = new ReadThroughRepave(FileSystem.get(URI.create("repave://lake"), getConf()), store);
  }

  @Override
  public FileSystem getFileSystem(URI uri) throws IOException {
    return files;
  }

  @Override
  public FileSystem getTestFileSystem() throws IOException {
    return files;
  }

  @Override
  public String getScheme() {
    return "repave";
  }

  @Override
  public Path getTestPath() {
    return new Path("repave://lake/contract/test");
  }

  /** Hadoop's tests of each kind. They are nested, so that they run only here. */
  public static final class Open extends AbstractContractOpenTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new RepaveContract(conf);
    }
  }

  public static final class Seek extends AbstractContractSeekTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new RepaveContract(conf);
    }
  }

  public static final class GetFileStatus extends AbstractContractGetFileStatusTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new RepaveContract(conf);
    }
  }

  public static final class ContentSummary extends AbstractContractContentSummaryTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new RepaveContract(conf);
    }
  }

  public static final class Unbuffer extends AbstractContractUnbufferTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new RepaveContract(conf);
    }
  }
}
