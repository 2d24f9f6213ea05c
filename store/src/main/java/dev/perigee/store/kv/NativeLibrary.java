package dev.perigee.store.kv;

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

    /** Loads the library unless this process has it already. Blocks. */
    static void load(Path folder) throws IOException {
        if (RocksDB.rocksdbVersion() != null) {
            return;
        }
        Path library = unpack(folder);
        try {
            RocksDB.loadLibrary(List.of(String.valueOf(library.getParent())));
        } catch (UnsatisfiedLinkError | RuntimeException e) {
            throw new IOException(
                    "RocksDB's library " + library + " cannot be loaded; its file system must allow programs", e);
        }
    }

    /** Makes sure that the library lies below a folder; gives its file. Blocks. */
    static Path unpack(Path folder) throws IOException {
        String packedName = Environment.getJniLibraryFileName("rocksdb");
        URL packed = RocksDB.class.getClassLoader().getResource(packedName);
        if (packed == null) {
            throw new IOException("this machine is none RocksDB is packed for: the library has no '" + packedName
                    + "'; delayed messages need Linux");
        }
        Path home = folder.resolve(version(packed));
        Path library = home.resolve(LOADED_NAME);
        if (!Files.exists(library)) {
            deleteOthers(folder);
            copy(packed, library);
        }
        return library;
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
