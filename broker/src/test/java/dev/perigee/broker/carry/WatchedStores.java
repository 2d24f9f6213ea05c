package dev.perigee.broker.carry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.kv.KeyVisitor;
import dev.perigee.store.kv.MemoryViewStores;
import dev.perigee.store.kv.ViewBatch;
import dev.perigee.store.kv.ViewStore;
import dev.perigee.store.kv.ViewStores;
import dev.perigee.store.view.LogPosition;
import java.io.IOException;
import java.util.Optional;

/** Stores that count what is looked at, and in which one may be forbidden to look. */
public final class WatchedStores implements ViewStores {
    private final MemoryViewStores real = new MemoryViewStores();
    private final boolean walkedOnly;

    /** Nobody may walk. */
    public boolean shut;
    /** Entries that walks and looks came by. */
    public int visited;

    public WatchedStores() {
        this(false);
    }

    private WatchedStores(boolean walkedOnly) {
        this.walkedOnly = walkedOnly;
    }

    /** Stores in which nobody may look for a single key. */
    public static WatchedStores walkedOnly() {
        return new WatchedStores(true);
    }

    @Override
    public ViewStore open(String name) throws IOException {
        return new Watched(real.open(name));
    }

    @Override
    public boolean exists(String name) {
        return real.exists(name);
    }

    @Override
    public void remove(String name) throws IOException {
        real.remove(name);
    }

    private final class Watched implements ViewStore {
        private final ViewStore store;

        Watched(ViewStore store) {
            this.store = store;
        }

        @Override
        public Optional<LogPosition> position() {
            return store.position();
        }

        @Override
        public void write(ViewBatch batch, LogPosition reached) throws IOException {
            store.write(batch, reached);
        }

        @Override
        public Optional<byte[]> get(byte[] key) throws IOException {
            assertThat(shut || walkedOnly).as("shut for looks").isFalse();
            visited++;
            return store.get(key);
        }

        @Override
        public void scan(byte[] from, byte[] to, KeyVisitor visitor) throws IOException {
            assertThat(shut).as("shut for walks").isFalse();
            store.scan(from, to, (key, value) -> {
                visited++;
                return visitor.visit(key, value);
            });
        }

        @Override
        public void flush() throws IOException {
            store.flush();
        }

        @Override
        public void destroy() throws IOException {
            store.destroy();
        }

        @Override
        public void close() throws IOException {
            store.close();
        }
    }
}
