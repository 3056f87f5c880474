package io.repave;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java block of {@code docs/java.md} compiles. */
class JavaPageTest {
  private static final Path PAGE =
      Path.of(System.getProperty("repave.basedir", "."), "../docs/java.md");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\n(.*?)^```");

  @TempDir Path folder;

  @Test
  void theExampleCompiles() throws Exception {
    Matcher block = BLOCK.matcher(Files.readString(PAGE));
    assertThat(block.find()).isTrue();
    Path source = Files.writeString(folder.resolve("TableReport.java"), block.group(1));
    var compiler = ToolProvider.getSystemJavaCompiler();
    var faults = new DiagnosticCollector<JavaFileObject>();
    List<String> options =
        List.of(
            "-d", folder.toString(), "-proc:none", "-cp", System.getProperty("java.class.path"));
    try (var files = compiler.getStandardFileManager(faults, null, null)) {
      var sources = files.getJavaFileObjects(source);
      compiler.getTask(null, files, faults, options, null, sources).call();
    }
    assertThat(faults.getDiagnostics().stream().filter(it -> it.getKind().name().equals("ERROR")))
        .isEmpty();
    assertThat(folder.resolve("TableReport.class")).exists();
  }
}
