package dev.perigee.harness;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A set of stock jars, built by the module of the same name under {@code tests/stock}. */
public enum StockPeer {
    /** rocketmq-client 5.x and the driver. */
    CLIENT5("client5"),
    /** rocketmq-client 4.9.x and the driver. */
    CLIENT4("client4"),
    /** mqadmin 5.x. */
    TOOLS5("tools5"),
    /** mqadmin 4.9.x. */
    TOOLS4("tools4"),
    /** NameServer and broker 5.x. */
    SERVER5("server5"),
    /** The Spring Boot starter and an application on it. */
    SPRING("spring"),
    /** Kafka 4.x, broker and clients. */
    KAFKA4("kafka4");

    private static final Path STOCK = Path.of("tests", "stock");

    private final String module;

    StockPeer(String module) {
        this.module = module;
    }

    /** The class path to start a JVM with: our own classes of that module, then the peer's jars. */
    public String classPath() {
        Path target = target();
        Path classes = target.resolve("classes");
        String jars = jarLine(target);
        return Files.isDirectory(classes) ? classes + File.pathSeparator + jars : jars;
    }

    /** The peer's jars, in class path order. */
    public List<Path> jars() {
        return Arrays.stream(jarLine(target()).split(File.pathSeparator))
                .map(Path::of)
                .toList();
    }

    /** The version of a jar by its artifact name, read from the file's name; empty when the peer does not bring it. */
    public Optional<String> versionOf(String artifact) {
        Pattern name = Pattern.compile(Pattern.quote(artifact) + "-(\\d.*)\\.jar");
        return jars().stream()
                .map(jar -> name.matcher(String.valueOf(jar.getFileName())))
                .filter(Matcher::matches)
                .map(match -> match.group(1))
                .findFirst();
    }

    private static String jarLine(Path target) {
        try {
            return Files.readString(target.resolve("classpath.txt")).strip();
        } catch (IOException missing) {
            throw new UncheckedIOException("build the stock modules first: mvn -Pfull test-compile", missing);
        }
    }

    private Path target() {
        return repository().resolve(STOCK).resolve(module).resolve("target");
    }

    /** The root of the checkout, found upwards from the working directory. */
    static Path repository() {
        Path start = Path.of("").toAbsolutePath();
        for (Path folder = start; folder != null; folder = folder.getParent()) {
            if (Files.isDirectory(folder.resolve(STOCK).resolve("driver"))) {
                return folder;
            }
        }
        throw new IllegalStateException("not inside the repository: " + start);
    }
}
