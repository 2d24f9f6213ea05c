package dev.perigee.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/**
 * Classes that JVMs on one class path share (class data sharing): the first JVM writes the archive at its end, later ones start with it in
 * about half the processor time. The JVM itself checks that an archive still fits its jars and goes without one that does not. Safe for use
 * by several threads; archives live in {@code target}, one for each class path.
 */
final class ClassArchive {
    private static final Map<String, ClassArchive> BY_CLASS_PATH = new ConcurrentHashMap<>();
    private static final Path FOLDER = Path.of("target", "class-archives").toAbsolutePath();

    private final Path file;
    private final AtomicBoolean beingWritten = new AtomicBoolean();

    private ClassArchive(Path file) {
        this.file = file;
    }

    static ClassArchive of(String classPath) {
        return BY_CLASS_PATH.computeIfAbsent(
                classPath, path -> new ClassArchive(FOLDER.resolve(nameFor(path) + ".jsa")));
    }

    /** One start of a JVM: what to add to its options, and what to do when it has ended. */
    record Use(List<String> options, Runnable ended) {}

    /** For the next start. */
    Use next() {
        if (Files.exists(file)) {
            return new Use(List.of("-XX:SharedArchiveFile=" + file, "-Xshare:auto", "-Xlog:disable"), () -> {});
        }
        if (!beingWritten.compareAndSet(false, true)) {
            return new Use(List.of(), () -> {});
        }
        Path unfinished = FOLDER.resolve(UUID.randomUUID() + ".tmp");
        return new Use(List.of("-XX:ArchiveClassesAtExit=" + unfinished, "-Xlog:disable"), () -> keep(unfinished));
    }

    private void keep(Path unfinished) {
        try {
            if (Files.exists(unfinished)) {
                Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException noArchive) {
            throw new UncheckedIOException(noArchive);
        } finally {
            beingWritten.set(false);
        }
    }

    /** A jar with the one class, because an archive takes no folders of classes. */
    static Path jarOf(Class<?> type) {
        String entry = type.getName().replace('.', '/') + ".class";
        try (InputStream in = type.getResourceAsStream("/" + entry)) {
            if (in == null) {
                throw new IllegalArgumentException("no class file of " + type);
            }
            byte[] code = in.readAllBytes();
            Path jar = FOLDER.resolve(UUID.nameUUIDFromBytes(code) + ".jar");
            if (!Files.exists(jar)) {
                write(jar, entry, code);
            }
            return jar;
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }

    private static void write(Path jar, String entry, byte[] code) throws IOException {
        Files.createDirectories(FOLDER);
        Path unfinished = FOLDER.resolve(UUID.randomUUID() + ".tmp");
        try (OutputStream out = Files.newOutputStream(unfinished);
                JarOutputStream archive = new JarOutputStream(out)) {
            archive.putNextEntry(new JarEntry(entry));
            archive.write(code);
        }
        Files.move(unfinished, jar, StandardCopyOption.ATOMIC_MOVE);
    }

    private static String nameFor(String classPath) {
        String what = System.getProperty("java.vm.version") + classPath;
        return UUID.nameUUIDFromBytes(what.getBytes(StandardCharsets.UTF_8)).toString();
    }
}
