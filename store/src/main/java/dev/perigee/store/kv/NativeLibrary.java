package dev.perigee.store.kv;

import dev.perigee.store.disk.Folders;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDB;
import org.rocksdb.util.Environment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * RocksDB's machine code, unpacked below the store's folder instead of the temporary one, which may forbid programs, be
 * swept while the broker runs, or fill up with a copy per start. The folder is named after the content, so one copy serves all
 * starts and a new version never meets an old copy.
 */
final class NativeLibrary {
    private static final Logger LOG = LoggerFactory.getLogger(NativeLibrary.class);

    /** RocksDB looks for another name in a folder it is told of than it has in its jar. */
    private static final String LOADED_NAME = Environment.getJniLibraryFileName("rocksdbjni");

    private NativeLibrary() {}

    /**
     * Loads the library unless this process has it already. Blocks.
     *
     * @throws IOException in one line: the machine, the folder, why not, and what helps
     */
    static void load(Path folder) throws IOException {
        if (RocksDB.rocksdbVersion() != null) {
            return;
        }
        Path library = unpack(folder, Environment.getJniLibraryFileName("rocksdb"));
        try {
            RocksDB.loadLibrary(List.of(String.valueOf(library.getParent())));
        } catch (UnsatisfiedLinkError | RuntimeException e) {
            throw failure(
                    "does not load from " + library + ": " + e.getMessage(),
                    "its file system must allow programs, and the machine needs the C library it was built for",
                    e);
        }
    }

    /**
     * Makes sure that the library of a machine lies below a folder; gives its file. Blocks.
     *
     * @param packedName what the library of the machine is called in the archive
     */
    static Path unpack(Path folder, String packedName) throws IOException {
        URL packed = RocksDB.class.getClassLoader().getResource(packedName);
        if (packed == null) {
            throw failure(
                    "is not packed for it: there is no '" + packedName + "' to unpack to " + folder,
                    "run the broker on Linux with x86_64 or aarch64",
                    null);
        }
        try {
            Path home = folder.resolve(version(packed));
            Path library = home.resolve(LOADED_NAME);
            if (!Files.exists(library)) {
                deleteOthers(folder);
                copy(packed, library);
            }
            return library;
        } catch (IOException e) {
            throw failure(
                    "cannot be unpacked to " + folder + ": " + e,
                    "the folder must be writable and its file system have room for it",
                    e);
        }
    }

    private static IOException failure(String what, String help, @Nullable Throwable cause) {
        return new IOException(
                "RocksDB's library, which keeps the messages that wait for a retry, cannot be used on this machine"
                        + " (os.name=" + System.getProperty("os.name") + ", os.arch=" + System.getProperty("os.arch")
                        + "): it " + what + "; " + help,
                cause);
    }

    /** The checksum the archive keeps of the content. */
    private static String version(URL packed) throws IOException {
        URLConnection connection = packed.openConnection();
        connection.setUseCaches(false);
        if (connection instanceof JarURLConnection jar) {
            try (JarFile file = jar.getJarFile()) {
                return "rocksdb-" + Long.toHexString(jar.getJarEntry().getCrc()) + "-" + file.size();
            }
        }
        return "rocksdb-" + Long.toHexString(connection.getContentLengthLong());
    }

    private static void copy(URL packed, Path library) throws IOException {
        Files.createDirectories(library.getParent());
        Path draft = library.resolveSibling(library.getFileName() + ".new");
        try (InputStream content = packed.openStream();
                FileChannel target = FileChannel.open(
                        draft,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING)) {
            content.transferTo(Channels.newOutputStream(target));
            target.force(true);
        }
        Files.move(draft, library, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        LOG.info("event=library_unpacked file={}", library);
    }

    private static void deleteOthers(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> old = Files.list(folder)) {
            for (Path each : old.toList()) {
                Folders.delete(each);
            }
        }
    }
}
