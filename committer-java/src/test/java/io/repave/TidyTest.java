package io.repave;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rules of style that a compiler does not check, read from the sources. */
class TidyTest {

  /** Exceptions, as {@code path: rule}, each with its reason beside it. Meant to stay empty. */
  private static final Set<String> EXCEPTIONS = Set.of();

  private static final Path SOURCES = Path.of(System.getProperty("repave.basedir", "."), "src");

  /** What each layer must not import. Arrows point inward: spark, hadoop, core; s3 to core. */
  private static final Map<String, Pattern> IMPORTS =
      Map.of(
          "core", Pattern.compile("java\\.|com\\.fasterxml\\.jackson\\.|io\\.repave\\.core\\."),
          "s3", Pattern.compile("(?!org\\.apache\\.spark|scala\\.|io\\.repave\\.(hadoop|spark)).*"),
          "hadoop", Pattern.compile("(?!org\\.apache\\.spark|scala\\.|io\\.repave\\.spark).*"),
          "spark", Pattern.compile("(?!io\\.repave\\.s3|software\\.amazon).*"));

  private static final Pattern IMPORT =
      Pattern.compile("^import (?:static )?([\\w.]+(?:\\.\\*)?);", Pattern.MULTILINE);
  private static final Pattern IMPURE =
      Pattern.compile(
          "System\\.(currentTimeMillis|nanoTime)|Math\\.random|UUID\\.randomUUID|\\bThread\\b"
              + "|(?:Instant|LocalDateTime|ZonedDateTime)\\.now\\(|new (?:Secure)?Random\\(\\)");
  private static final Pattern BAD_NAME =
      Pattern.compile("(Manager|Helper|Util|Utils|Impl|Base)\\.java$|/Abstract\\w+\\.java$");
  private static final Pattern FUNCTION =
      Pattern.compile("^( {2,6})[\\w@<][^;=]*\\([^;]*$|^( {2,6})(?:public |private )?\\w+ \\{$");

  @Test
  void layersImportOnlyWhatTheyMayKnow() throws IOException {
    assertClean(
        "imports a layer that it must not know",
        (file, text, found) -> {
          String layer = layerOf(file);
          Matcher line = IMPORT.matcher(text);
          while (layer != null && isMain(file) && line.find()) {
            if (!IMPORTS.get(layer).matcher(line.group(1)).lookingAt()) {
              found.add(line.group(1));
            }
          }
        });
  }

  @Test
  void theCoreHasNoClockNoRandomnessAndNoThreads() throws IOException {
    assertClean(
        "takes time, chance or threads from nowhere",
        (file, text, found) -> {
          Matcher impure = IMPURE.matcher(withoutComments(text));
          while (isMain(file) && "core".equals(layerOf(file)) && impure.find()) {
            found.add(impure.group());
          }
        });
  }

  @Test
  void filesAreShortAndWellNamed() throws IOException {
    assertClean(
        "is too long, badly named or imports a wildcard",
        (file, text, found) -> {
          long lines = text.lines().count();
          if (lines > 400) {
            found.add(lines + " lines, the limit is 400");
          }
          if (BAD_NAME.matcher(file.toString()).find()) {
            found.add("a name that says nothing");
          }
          IMPORT
              .matcher(text)
              .results()
              .map(m -> m.group(1))
              .filter(name -> name.endsWith("*"))
              .forEach(found::add);
        });
  }

  @Test
  void functionsAreShorterThanSeventyLines() throws IOException {
    assertClean(
        "has a function over 70 lines",
        (file, text, found) -> {
          List<String> lines = text.lines().toList();
          for (int start = 0; start < lines.size(); start++) {
            int length = functionLines(lines, start);
            if (length > 70) {
              found.add("line " + (start + 1) + ": " + length + " lines");
            }
          }
        });
  }

  /** google-java-format closes a body at the indent of its first line: that is the measure. */
  private static int functionLines(List<String> lines, int start) {
    Matcher head = FUNCTION.matcher(lines.get(start));
    if (!head.find() || lines.get(start).matches("\\s*(@|\\*|//|/\\*).*")) {
      return 0;
    }
    String indent = head.group(1) != null ? head.group(1) : head.group(2);
    for (int end = start; end < lines.size(); end++) {
      if (lines.get(end).matches(indent + "}[;),]*")) {
        return end - start + 1;
      }
      if (end > start && lines.get(end).matches(indent + "\\w.*;")) {
        return 0;
      }
    }
    return 0;
  }

  private interface Rule {
    void read(Path file, String text, List<String> found);
  }

  private static void assertClean(String what, Rule rule) throws IOException {
    List<String> violations = new ArrayList<>();
    List<Path> files;
    try (Stream<Path> tree = Files.walk(SOURCES)) {
      files = tree.filter(path -> path.toString().endsWith(".java")).sorted().toList();
    }
    assertThat(files).as("sources under %s", SOURCES).isNotEmpty();
    for (Path file : files) {
      List<String> found = new ArrayList<>();
      rule.read(file, Files.readString(file), found);
      found.stream()
          .map(each -> SOURCES.relativize(file) + ": " + each)
          .filter(each -> !EXCEPTIONS.contains(each))
          .forEach(violations::add);
    }
    assertThat(violations).as("each file named here %s", what).isEmpty();
  }

  private static boolean isMain(Path file) {
    return SOURCES.relativize(file).startsWith("main");
  }

  private static String layerOf(Path file) {
    Matcher layer = Pattern.compile("io/repave/(core|s3|hadoop|spark)/").matcher(file.toString());
    return layer.find() ? layer.group(1) : null;
  }

  private static String withoutComments(String text) {
    return text.replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("//[^\n]*", "");
  }
}
