package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's program, taken from its text, is compiled and does what it says; its coordinates are those of the build. */
class ReadmeProgramIT {
    private static final Pattern PROGRAM = Pattern.compile("(?ms)^```java\\n(import .*?)^```$");
    private static final Pattern DEPENDENCY = Pattern.compile(
            "(?s)<groupId>([^<]*)</groupId>\\s*<artifactId>([^<]*)</artifactId>\\s*<version>([^<]*)</version>");

    @TempDir
    private Path folder;

    private static String readme() throws IOException {
        return Files.readString(LauncherIT.launcher().resolveSibling("README.md"));
    }

    private static Matcher found(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        assertThat(matcher.find()).isTrue();
        return matcher;
    }

    @Test
    @Tag("full")
    void theProgramSendsAndConsumes() throws Exception {
        Path output = folder.resolve("output.txt");
        try (RunningUp up = new RunningUp(folder.resolve("data"))) {
            Path source = Files.writeString(
                    folder.resolve("Hello.java"),
                    found(PROGRAM, readme()).group(1).replace("127.0.0.1:9876", up.nameServer()));
            Process program = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            source.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            try {
                assertThat(program.waitFor(1, TimeUnit.MINUTES)).isTrue();
            } finally {
                program.destroyForcibly();
            }
            assertThat(program.exitValue()).as(Files.readString(output)).isZero();
        }
        assertThat(Files.readString(output).lines())
                .anyMatch(line -> line.matches("sent [0-9A-F]{32}"))
                .contains("got hello from Java");
    }

    @Test
    void theCoordinatesAreThoseOfTheBuild() throws Exception {
        Matcher told = found(DEPENDENCY, readme());
        String pom =
                Files.readString(LauncherIT.launcher().resolveSibling("client").resolve("pom.xml"));
        Matcher parent = found(DEPENDENCY, pom);
        assertThat(told.group(1)).isEqualTo(parent.group(1));
        assertThat(told.group(3)).isEqualTo(parent.group(3));
        assertThat(pom).contains("</parent>\n\n  <artifactId>" + told.group(2) + "</artifactId>");
    }
}
