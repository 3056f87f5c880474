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

/** The Java blocks of {@code docs/java.md} compile. */
class JavaPageTest {
  private static final Path PAGE =
      Path.of(System.getProperty("repave.basedir", "."), "../docs/java.md");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\n(.*?^class (\\w+) .*?)^```");

  @TempDir Path folder;

  @Test
  void theExamplesCompile() throws Exception {
    Matcher block = BLOCK.matcher(Files.readString(PAGE));
    int blocks = 0;
    for (; block.find(); blocks++) {
      compile(block.group(2), block.group(1));
    }
    assertThat(blocks).isEqualTo(2);
  }

  private void compile(String name, String text) throws Exception {
    Path source = Files.writeString(folder.resolve(name + ".java"), text);
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
    assertThat(folder.resolve(name + ".class")).exists();
  }
}
