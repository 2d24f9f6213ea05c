package dev.perigee.broker.timer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.kv.KeyVisitor;
import dev.perigee.store.kv.MemoryViewStores;
import dev.perigee.store.kv.ViewBatch;
import dev.perigee.store.kv.ViewStore;
import dev.perigee.store.kv.ViewStores;
import dev.perigee.store.view.LogPosition;
import java.io.IOException;
import java.util.Optional;

/** Stores in which nobody may look for a single key; nor walk, once they are shut. */
final class WalkedOnly implements ViewStores {
    boolean shut;

    @Override
    public ViewStore open(String name) throws IOException {
        ViewStore real = new MemoryViewStores().open(name);
        return new ViewStore() {
            @Override
            public Optional<LogPosition> position() {
                return real.position();
            }

            @Override
            public void write(ViewBatch batch, LogPosition reached) throws IOException {
                real.write(batch, reached);
            }

            @Override
            public Optional<byte[]> get(byte[] key) {
                throw new AssertionError("a look for one key");
            }

            @Override
            public void scan(byte[] from, byte[] to, KeyVisitor visitor) throws IOException {
                assertThat(shut).as("shut for walks").isFalse();
                real.scan(from, to, visitor);
            }

            @Override
            public void flush() throws IOException {
                real.flush();
            }

            @Override
            public void destroy() throws IOException {
                real.destroy();
            }

            @Override
            public void close() throws IOException {
                real.close();
            }
        };
    }

    @Override
    public boolean exists(String name) {
        return false;
    }

    @Override
    public void remove(String name) {}
}
