package io.repave.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program of the Python package in lab/ ({@code python -m repave_lab.…}) that runs as long as
 * this is open. It ends when its standard input does, so also when this JVM is killed.
 */
public final class LabProcess implements AutoCloseable {
  private final Process process;
  private final JsonNode announcement;

  private LabProcess(Process process, JsonNode announcement) {
    this.process = process;
    this.announcement = announcement;
  }

  /** Starts the module and waits for the line with which it says that it is ready. */
  public static LabProcess start(String module, String... arguments) {
    List<String> command = new ArrayList<>(List.of(python().toString(), "-m", module));
    command.addAll(List.of(arguments));
    command.add("--until-stdin-closes");
    try {
      Path log = Files.createTempFile("repave-lab-", ".log");
      log.toFile().deleteOnExit();
      Process process = new ProcessBuilder(command).redirectError(log.toFile()).start();
      BufferedReader output =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      String line = output.readLine();
      if (line == null) {
        throw new AssertionError(
            "`" + String.join(" ", command) + "` did not start:\n" + Files.readString(log));
      }
      return new LabProcess(process, new ObjectMapper().readTree(line));
    } catch (IOException e) {
      throw new AssertionError("`" + String.join(" ", command) + "` did not start", e);
    }
  }

  /** What the program announced under this name. */
  public String announced(String name) {
    return announcement.required(name).asText();
  }

  /** The whole announcement. */
  public JsonNode announcement() {
    return announcement;
  }

  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  /** REPAVE_PYTHON, or the .venv that {@code make venv} makes. */
  public static Path python() {
    String given = System.getenv("REPAVE_PYTHON");
    Path python =
        given != null
            ? Path.of(given)
            : Path.of(System.getProperty("repave.basedir", "."), "..", ".venv", "bin", "python");
    if (!Files.isExecutable(python)) {
      throw new AssertionError(
          "There is no Python at "
              + python
              + ", and this test starts its S3 servers with it: run `make venv`, or set"
              + " REPAVE_PYTHON to a Python that has repave and lab[servers].");
    }
    return python;
  }
}
