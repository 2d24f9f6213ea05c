package dev.perigee.store.kv;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.disk.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * Stores of views in RocksDB, each a database of its own in {@code <view>/kv} below the broker's folder, beside the view's
 * checkpoint: whoever deletes the folder of a view deletes both. RocksDB's library is loaded by {@link #check}, or with the
 * first of them.
 */
@ThreadSafe
public final class RocksViewStores implements ViewStores {
    private static final String DATABASE = "kv";
    private static final String LIBRARY = "native";

    private final Path root;
    /** Guarded by this object, as opening and removing are: the file system would let two openings begin together. */
    private final Set<String> open = new HashSet<>();

    /** @param root the broker's folder */
    public RocksViewStores(Path root) {
        this.root = root.toAbsolutePath().normalize();
    }

    @Override
    public synchronized void check() throws IOException {
        Path mount = Mounts.forbiddingPrograms(root.resolve(LIBRARY)).orElse(null);
        if (mount != null) {
            throw new IOException(
                    "the folder " + root + " lies on " + mount + ", which is mounted noexec: RocksDB's library,"
                            + " which keeps the messages that wait for a retry, cannot be loaded from there; its file system"
                            + " must allow programs");
        }
        NativeLibrary.load(root.resolve(LIBRARY));
    }

    @Override
    public synchronized ViewStore open(String view) throws IOException {
        checkClosed(view);
        NativeLibrary.load(root.resolve(LIBRARY));
        Path folder = folder(view);
        Files.createDirectories(folder);
        ViewStore store = RocksViewStore.open(view, folder, new RocksViewStore.Ending() {
            @Override
            public void closed() {
                forget(view);
            }

            @Override
            public void destroyed() throws IOException {
                remove(view);
            }
        });
        open.add(view);
        return store;
    }

    private synchronized void forget(String view) {
        open.remove(view);
    }

    @Override
    public boolean exists(String view) {
        return Files.exists(folder(view));
    }

    @Override
    public synchronized void remove(String view) throws IOException {
        checkClosed(view);
        Folders.delete(folder(view));
    }

    private void checkClosed(String view) throws IOException {
        if (open.contains(view)) {
            throw new IOException("the store of view '" + view + "' in " + folder(view) + " is open already");
        }
    }

    private Path folder(String view) {
        return root.resolve(view).resolve(DATABASE);
    }
}
