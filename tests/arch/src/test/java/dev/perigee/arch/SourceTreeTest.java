package dev.perigee.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What can be read off the sources themselves: the code base lints itself. */
final class SourceTreeTest {
    private static final Path ROOT = root();
    private static final Set<String> NOT_OURS = Set.of("target", ".git", "data", ".ci");
    private static final List<Path> OURS = ours();
    private static final int MAX_TYPES_PER_PACKAGE = 20;
    /** Of later steps: signatures and pop. */
    private static final Set<String> LEFT_OUT_VECTORS =
            Set.of("15-acl-signature", "16-acl-signature-token", "20-pop-check-point", "21-batch-ack-body");

    private static final Pattern SLEEP = Pattern.compile("Thread\\.sleep|TimeUnit\\.[A-Z]+\\.sleep");
    private static final Pattern VOLATILE = Pattern.compile("\\bvolatile\\s[^;=(]*?\\b(\\w+)\\s*[;=]");
    /** Of the field of that name. */
    private static final String STEP =
            "(?<![\\w.])(?:this\\.)?FIELD\\s*(?:\\+\\+|--|[-+|&^*/%]=|<<=|>>>?=)|(?:\\+\\+|--)\\s*(?:this\\.)?FIELD\\b";
    /** Bounds of waiting below 30 s, and of whole tests. */
    private static final Pattern SECONDS = Pattern.compile("@Timeout\\([12]?\\d\\)"
            + "|\\.(?:get|poll|await|waitFor)\\([12]?\\d, (?:TimeUnit\\.)?SECONDS\\)"
            + "|\\b(?:atMost|failsWithin|succeedsWithin)\\(Duration\\.of(?:Seconds\\([12]?\\d\\)|Millis\\(\\d)"
            + "|\\b\\w*PATIENCE\\w* = Duration\\.of(?:Seconds\\([12]?\\d\\)|Millis\\(\\d)");

    private static final Pattern AWAIT =
            Pattern.compile("(?<![\\w.])(?:Awaitility\\s*\\.\\s*)?await\\([^;{}]*?\\.until");
    private static final Pattern DEBT = Pattern.compile("\\b(TODO|FIXME|XXX)\\b");
    private static final Pattern DISABLED = Pattern.compile("@Disabled|@Ignore");
    private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]+)[^)]*\\)");
    private static final Pattern MACHINE_PATH = Pattern.compile("(^|[^a-zA-Z0-9_.])/(work|farm|root)/");

    @Test
    void noSourceFileCarriesDebt() {
        assertThat(linesMatching(DEBT, file -> isJava(file) && !isThisFile(file)))
                .isEmpty();
    }

    @Test
    void noTestSleepsOrIsSwitchedOff() {
        assertThat(linesMatching(SLEEP, file -> isTest(file) && !isThisFile(file)))
                .isEmpty();
        assertThat(linesMatching(DISABLED, file -> isTest(file) && !isThisFile(file)))
                .isEmpty();
    }

    /** What two threads do so is lost now and then, and a test fails on a busy machine only. */
    @Test
    void noTestReadsAndWritesAVolatileFieldInOneStep() {
        List<String> found = new ArrayList<>();
        for (Path file : files(SourceTreeTest::isTest)) {
            String text = String.join("\n", read(file));
            VOLATILE.matcher(text)
                    .results()
                    .map(field -> Pattern.compile(STEP.replace("FIELD", field.group(1))))
                    .flatMap(step -> step.matcher(text).results())
                    .forEach(step -> found.add(ROOT.relativize(file) + ": " + step.group()));
        }
        assertThat(found).isEmpty();
    }

    /** A machine that has other things to do needs seconds for what takes milliseconds here; a minute is usual, half of it the least. */
    @Test
    void noTestGivesUpWithinSeconds() {
        List<String> found = new ArrayList<>();
        for (Path file : files(file -> isTest(file) && !isThisFile(file))) {
            String text = String.join("\n", read(file));
            SECONDS.matcher(text).results().forEach(wait -> found.add(ROOT.relativize(file) + ": " + wait.group()));
            AWAIT.matcher(text)
                    .results()
                    .filter(wait -> !wait.group().contains("atMost("))
                    .forEach(wait ->
                            found.add(ROOT.relativize(file) + ", ten seconds are the default: " + wait.group()));
        }
        assertThat(found).isEmpty();
    }

    @Test
    void noFileNamesAPathOfOneMachine() {
        assertThat(linesMatching(MACHINE_PATH, file -> isText(file) && !isThisFile(file)))
                .isEmpty();
    }

    @Test
    void everyPackageSaysWhatItIsForAndStaysSmall() {
        Map<Path, Integer> typesPerPackage = new TreeMap<>();
        for (Path file : files(file -> isJava(file) && isMain(file))) {
            if (!file.getFileName().toString().equals("package-info.java")) {
                typesPerPackage.merge(file.getParent(), 1, Integer::sum);
            }
        }
        List<String> faults = new ArrayList<>();
        typesPerPackage.forEach((folder, types) -> {
            if (!Files.exists(folder.resolve("package-info.java"))) {
                faults.add(ROOT.relativize(folder) + " has no package-info.java");
            }
            if (types > MAX_TYPES_PER_PACKAGE) {
                faults.add(ROOT.relativize(folder) + " holds " + types + " types, at most " + MAX_TYPES_PER_PACKAGE);
            }
        });
        assertThat(faults).isEmpty();
    }

    @Test
    void everyModuleHasAReadme() throws IOException {
        try (Stream<Path> folders = Files.list(ROOT)) {
            assertThat(folders.filter(folder -> Files.exists(folder.resolve("src/main/java"))))
                    .isNotEmpty()
                    .allSatisfy(
                            module -> assertThat(module.resolve("README.md")).exists());
        }
    }

    @Test
    void everyLinkOfAManualToAFileLeadsToOne() {
        List<String> broken = new ArrayList<>();
        for (Path manual : files(file -> file.toString().endsWith(".md"))) {
            for (String line : read(manual)) {
                LINK.matcher(line)
                        .results()
                        .map(link -> link.group(1))
                        .filter(target -> !target.contains("://") && !Files.exists(manual.resolveSibling(target)))
                        .forEach(target -> broken.add(ROOT.relativize(manual) + " links to " + target));
            }
        }
        assertThat(broken).isEmpty();
    }

    /** Golden bytes that no test reads show nothing; docs/testing.md says which are left out and why. */
    @Test
    void goldenBytesAreReadByTests() {
        String tests = files(file -> isTest(file) && !isThisFile(file)).stream()
                .flatMap(file -> read(file).stream())
                .collect(Collectors.joining("\n"));
        assertThat(files(file -> file.toString().matches(".*/test-vectors/.*\\.hex")).stream()
                        .map(file -> file.getFileName().toString().replace(".hex", ""))
                        .filter(vector -> !tests.contains('"' + vector)))
                .containsExactlyInAnyOrderElementsOf(LEFT_OUT_VECTORS);
    }

    private static List<String> linesMatching(Pattern pattern, Predicate<Path> which) {
        List<String> found = new ArrayList<>();
        for (Path file : files(which)) {
            List<String> lines = read(file);
            for (int i = 0; i < lines.size(); i++) {
                if (pattern.matcher(lines.get(i)).find()) {
                    found.add(ROOT.relativize(file) + ":" + (i + 1) + ": "
                            + lines.get(i).strip());
                }
            }
        }
        return found;
    }

    private static List<Path> files(Predicate<Path> which) {
        return OURS.stream().filter(which).toList();
    }

    /** Every file of the project but those that a build made. */
    private static List<Path> ours() {
        List<Path> found = new ArrayList<>();
        try {
            Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                    return NOT_OURS.contains(folder.getFileName().toString())
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (attributes.isRegularFile()
                            && !NOT_OURS.contains(file.getFileName().toString())) {
                        found.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        found.sort(null);
        return found;
    }

    private static boolean isJava(Path file) {
        return file.toString().endsWith(".java");
    }

    private static boolean isText(Path file) {
        return file.toString().matches(".*\\.(java|md|xml|sh|conf|properties|txt|json)");
    }

    private static boolean isMain(Path file) {
        return file.toString().contains("/src/main/java/");
    }

    private static boolean isTest(Path file) {
        String relative = ROOT.relativize(file).toString();
        return isJava(file) && (relative.contains("src/test/") || relative.startsWith("tests/"));
    }

    private static boolean isThisFile(Path file) {
        return file.getFileName().toString().equals("SourceTreeTest.java");
    }

    private static List<String> read(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
    }

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("mvnw")) && !Files.exists(folder.resolve("STYLE.md"))) {
            folder = folder.getParent();
            if (folder == null) {
                throw new IllegalStateException("the project's root was not found above the working directory");
            }
        }
        return folder;
    }
}
