package io.repave;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.PackageTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** The rules of style that a compiler does not check, read from the sources. */
class TidyTest {

  private static final int FILE_LINES = 400;
  private static final int FUNCTION_LINES = 70;

  /** Violations that are let pass, word for word, each with its reason. Meant to stay empty. */
  private static final Set<String> EXCEPTIONS = Set.of();

  private static final Path SOURCES = Path.of(System.getProperty("repave.basedir", "."), "src");

  /** What each layer may name, imported or in full. Arrows point inward. */
  private static final Map<String, Pattern> MAY_NAME =
      Map.of(
          "", Pattern.compile(".*"),
          "core", Pattern.compile("(java|com\\.fasterxml\\.jackson|io\\.repave\\.core)\\..*"),
          "s3", Pattern.compile("(?!org\\.apache\\.spark|scala\\.|io\\.repave\\.(hadoop|spark)).*"),
          "hadoop", Pattern.compile("(?!org\\.apache\\.spark|scala\\.|io\\.repave\\.spark).*"),
          "spark", Pattern.compile("(?!io\\.repave\\.s3|software\\.amazon).*"),
          "api", Pattern.compile("(?!io\\.repave\\.(s3|spark)|software\\.amazon).*"));

  private static final Pattern QUALIFIED =
      Pattern.compile("(java|javax|com|io|net|org|scala|software)\\.[a-z]\\w*\\.[\\w.*]+");
  private static final Pattern LAYER = Pattern.compile("main/java/io/repave/(?:(\\w+)/)?");
  private static final Pattern OWN_PACKAGE = Pattern.compile("io\\.repave(\\.[a-z]\\w*)*");
  private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|//[^\n]*");

  /** Passing an interrupt on is the one thing that the core may do with a thread. */
  private static final Pattern IMPURE =
      Pattern.compile(
          "System\\.(?:currentTimeMillis|nanoTime|getenv|getProperty)|\\b[A-Z]\\w*\\.now\\(\\)"
              + "|Math\\.random|UUID\\.randomUUID|ThreadLocalRandom|Random\\(\\)"
              + "|\\bThread\\b(?!\\.currentThread\\(\\)\\.interrupt\\(\\))"
              + "|\\b(?:Executors|ForkJoinPool|Timer)\\b"
              + "|\\.parallel(?:Stream)?\\(\\)|(?:supply|run)Async\\(");

  private static final Pattern EMPTY_NAME =
      Pattern.compile("/(Abstract\\w+|\\w*(Manager|Helper|Utils?|Impl|Base))\\.java$");

  @Test
  void layersNameOnlyWhatTheyMayKnow() throws IOException {
    List<String> violations = new ArrayList<>();
    for (Source source : sources()) {
      Pattern allowed = MAY_NAME.get(source.layer());
      assertThat(allowed).as("a layer of its own: %s", source.path()).isNotNull();
      source.qualifiedNames().stream()
          .filter(name -> !allowed.matcher(name).matches() || name.endsWith("*"))
          .forEach(name -> violations.add(source.path() + " names " + name));
    }
    assertNone(violations);
  }

  @Test
  void packagesHaveNoCycles() throws IOException {
    Map<String, Set<String>> uses = new TreeMap<>();
    for (Source source : sources()) {
      if (!source.layer().isEmpty()) {
        String own = source.packageName();
        Set<String> used = uses.computeIfAbsent(own, it -> new TreeSet<>());
        source.qualifiedNames().stream()
            .map(OWN_PACKAGE::matcher)
            .filter(Matcher::lookingAt)
            .map(Matcher::group)
            .filter(it -> !it.equals(own))
            .forEach(used::add);
      }
    }
    // A package that uses none of those that are left is in no cycle.
    while (uses.entrySet().removeIf(it -> it.getValue().stream().noneMatch(uses::containsKey))) {}
    assertThat(uses).as("packages in or above a cycle").isEmpty();
  }

  /** Scala 2.12 of Spark 3.5 lacks them. Spark 3.5 runs nothing else of that package. */
  @Test
  void onlyTheRulesOfSpark4UseScalasConverters() throws IOException {
    List<String> violations = new ArrayList<>();
    for (Source source : sources()) {
      if (source.layer().equals("spark") && !source.packageName().endsWith(".plan")) {
        source.qualifiedNames().stream()
            .filter(name -> name.startsWith("scala.jdk."))
            .forEach(name -> violations.add(source.path() + " names " + name));
      }
    }
    assertNone(violations);
  }

  @Test
  void everyPackageSaysWhatItHolds() throws IOException {
    Set<String> described = new TreeSet<>();
    Set<String> packages = new TreeSet<>();
    for (Source source : sources()) {
      if (!source.layer().isEmpty()) {
        packages.add(source.packageName());
        if (source.path().endsWith("package-info.java") && source.text().startsWith("/**")) {
          described.add(source.packageName());
        }
      }
    }
    assertThat(described).isEqualTo(packages);
  }

  @Test
  void theCoreHasNoClockNoChanceNoThreadsAndNoState() throws IOException {
    List<String> violations = new ArrayList<>();
    for (Source source : sources()) {
      if ("core".equals(source.layer())) {
        Matcher code = IMPURE.matcher(COMMENT.matcher(source.text()).replaceAll(""));
        code.results()
            .map(MatchResult::group)
            .forEach(it -> violations.add(source.path() + " has " + it));
        source.statics().forEach(it -> violations.add(source.path() + " has static " + it));
      }
    }
    assertNone(violations);
  }

  @Test
  void filesAreShortAndWellNamed() throws IOException {
    List<String> violations = new ArrayList<>();
    for (Source source : sources()) {
      long lines = source.text().lines().count();
      if (lines > FILE_LINES) {
        violations.add(source.path() + " has " + lines + " lines");
      }
      if (EMPTY_NAME.matcher(source.path()).find()) {
        violations.add(source.path() + " has a name that says nothing");
      }
    }
    assertNone(violations);
  }

  @Test
  void functionsAreShort() throws IOException {
    List<String> violations = new ArrayList<>();
    for (Source source : sources()) {
      source.functionLines().entrySet().stream()
          .filter(function -> function.getValue() > FUNCTION_LINES)
          .forEach(it -> violations.add(source.path() + " " + it.getKey() + ": " + it.getValue()));
    }
    assertNone(violations);
  }

  private static void assertNone(List<String> violations) {
    assertThat(violations.stream().filter(it -> !EXCEPTIONS.contains(it))).isEmpty();
  }

  private static List<Source> sources() throws IOException {
    List<Path> files;
    try (Stream<Path> tree = Files.walk(SOURCES)) {
      files = tree.filter(path -> path.toString().endsWith(".java")).toList();
    }
    assertThat(files).as("sources under %s", SOURCES).isNotEmpty();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager opener = compiler.getStandardFileManager(null, null, null)) {
      var objects = opener.getJavaFileObjectsFromPaths(files);
      var task = (JavacTask) compiler.getTask(null, opener, null, null, null, objects);
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      List<Source> sources = new ArrayList<>();
      for (CompilationUnitTree unit : task.parse()) {
        Path file = Path.of(unit.getSourceFile().toUri());
        String path = SOURCES.toAbsolutePath().normalize().relativize(file).toString();
        sources.add(new Source(path, Files.readString(file), unit, positions));
      }
      return sources;
    }
  }

  /** One parsed file. */
  private record Source(
      String path, String text, CompilationUnitTree unit, SourcePositions positions) {

    /** The layer of production code; empty for tests, which may know everything. */
    String layer() {
      Matcher layer = LAYER.matcher(path);
      return layer.find() ? Objects.requireNonNullElse(layer.group(1), "api") : "";
    }

    String packageName() {
      return unit.getPackageName().toString();
    }

    List<String> qualifiedNames() {
      List<String> names = new ArrayList<>();
      new TreeScanner<Void, Void>() {
        @Override
        public Void visitPackage(PackageTree node, Void unused) {
          return null;
        }

        @Override
        public Void visitMemberSelect(MemberSelectTree node, Void unused) {
          if (QUALIFIED.matcher(node.toString()).matches()) {
            names.add(node.toString());
            return null;
          }
          return super.visitMemberSelect(node, null);
        }
      }.scan(unit, null);
      return names;
    }

    List<String> statics() {
      List<String> names = new ArrayList<>();
      new TreeScanner<Void, Void>() {
        @Override
        public Void visitVariable(VariableTree node, Void unused) {
          Set<Modifier> flags = node.getModifiers().getFlags();
          if (flags.contains(Modifier.STATIC) && !flags.contains(Modifier.FINAL)) {
            names.add(node.getName().toString());
          }
          return super.visitVariable(node, null);
        }
      }.scan(unit, null);
      return names;
    }

    Map<String, Long> functionLines() {
      Map<String, Long> lines = new TreeMap<>();
      new TreeScanner<Void, Void>() {
        @Override
        public Void visitMethod(MethodTree node, Void unused) {
          lines.put(node.getName() + " at line " + line(startOf(node)), linesOf(node));
          return super.visitMethod(node, null);
        }
      }.scan(unit, null);
      return lines;
    }

    private long linesOf(Tree node) {
      return line(positions.getEndPosition(unit, node)) - line(startOf(node)) + 1;
    }

    private long startOf(Tree node) {
      return positions.getStartPosition(unit, node);
    }

    private long line(long position) {
      LineMap map = unit.getLineMap();
      return position < 0 ? 0 : map.getLineNumber(position);
    }
  }
}
