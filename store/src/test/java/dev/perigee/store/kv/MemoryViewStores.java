package dev.perigee.store.kv;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.view.LogPosition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * Stores of views in memory, for simulations: they outlive the broker that uses them, and {@link #crash} loses what was not
 * flushed.
 */
@ThreadSafe
public final class MemoryViewStores implements ViewStores {
    private final Map<String, Content> contents = new TreeMap<>();

    /** What is in a store, open or not. Guarded by this object, as all of it is: threads of tests read while another writes. */
    private static final class Content {
        final NavigableMap<byte[], byte[]> durable = new TreeMap<>(Arrays::compareUnsigned);
        final NavigableMap<byte[], byte[]> live = new TreeMap<>(Arrays::compareUnsigned);
        final List<ViewBatch> unflushed = new ArrayList<>();
        final List<LogPosition> reached = new ArrayList<>();
        boolean open;
        /** Whoever opened it before a crash has no hold on it any more. */
        int opening;

        /** Makes the first batches durable. */
        void keep(int batches) {
            for (int i = 0; i < batches; i++) {
                change(durable, unflushed.get(i), reached.get(i));
            }
            unflushed.clear();
            reached.clear();
        }

        static void change(NavigableMap<byte[], byte[]> map, ViewBatch batch, LogPosition reached) {
            try {
                batch.replay(new MapTarget(map));
            } catch (IOException e) {
                throw new IllegalStateException("a map in memory fails", e);
            }
            map.put(PositionEntry.KEY, PositionEntry.encode(reached));
        }
    }

    private record MapTarget(NavigableMap<byte[], byte[]> map) implements ViewBatch.Target {
        @Override
        public void put(byte[] key, byte[] value) {
            map.put(key.clone(), value.clone());
        }

        @Override
        public void delete(byte[] key) {
            map.remove(key);
        }

        @Override
        public void deleteRange(byte[] from, byte[] to) {
            map.subMap(from, to).clear();
        }
    }

    @Override
    public synchronized ViewStore open(String view) throws IOException {
        Content content = contents.computeIfAbsent(view, name -> new Content());
        if (content.open) {
            throw new IOException("the store of view '" + view + "' is open already");
        }
        content.open = true;
        content.opening++;
        byte[] position = content.live.get(PositionEntry.KEY);
        return new MemoryViewStore(
                view, content, position == null ? Optional.empty() : Optional.of(PositionEntry.decode(position)));
    }

    @Override
    public synchronized boolean exists(String view) {
        return contents.containsKey(view);
    }

    @Override
    public synchronized void remove(String view) throws IOException {
        Content content = contents.get(view);
        if (content != null && content.open) {
            throw new IOException("the store of view '" + view + "' is open");
        }
        contents.remove(view);
    }

    /** Ends the process that uses the stores: each keeps what was flushed, and of the batches since then the first few. */
    public synchronized void crash(RandomGenerator random) {
        for (Content content : contents.values()) {
            content.keep(random.nextInt(content.unflushed.size() + 1));
            closeUnflushed(content);
        }
    }

    private static void closeUnflushed(Content content) {
        content.keep(0);
        content.live.clear();
        content.live.putAll(content.durable);
        content.open = false;
        content.opening++;
    }

    private final class MemoryViewStore implements ViewStore {
        private final String view;
        private final Content content;
        private final int opening;
        private final Optional<LogPosition> position;

        MemoryViewStore(String view, Content content, Optional<LogPosition> position) {
            this.view = view;
            this.content = content;
            this.opening = content.opening;
            this.position = position;
        }

        @Override
        public Optional<LogPosition> position() {
            return position;
        }

        @Override
        public void write(ViewBatch batch, LogPosition reached) throws IOException {
            synchronized (MemoryViewStores.this) {
                Content open = checkOpen();
                Content.change(open.live, batch, reached);
                open.unflushed.add(batch);
                open.reached.add(reached);
            }
        }

        @Override
        public Optional<byte[]> get(byte[] key) throws IOException {
            synchronized (MemoryViewStores.this) {
                Content open = checkOpen();
                return Arrays.equals(key, PositionEntry.KEY)
                        ? Optional.empty()
                        : Optional.ofNullable(open.live.get(key)).map(byte[]::clone);
            }
        }

        @Override
        public void scan(byte[] from, byte[] to, KeyVisitor visitor) throws IOException {
            NavigableMap<byte[], byte[]> seen = new TreeMap<>(Arrays::compareUnsigned);
            synchronized (MemoryViewStores.this) {
                Content open = checkOpen();
                if (Arrays.compareUnsigned(from, to) < 0) {
                    seen.putAll(open.live.subMap(from, to));
                }
            }
            seen.remove(PositionEntry.KEY);
            for (Map.Entry<byte[], byte[]> entry : seen.entrySet()) {
                if (!visitor.visit(entry.getKey().clone(), entry.getValue().clone())) {
                    return;
                }
            }
        }

        @Override
        public void flush() throws IOException {
            synchronized (MemoryViewStores.this) {
                Content open = checkOpen();
                open.keep(open.unflushed.size());
            }
        }

        @Override
        public void destroy() throws IOException {
            synchronized (MemoryViewStores.this) {
                close();
                if (contents.get(view) == content && !content.open) {
                    contents.remove(view);
                }
            }
        }

        @Override
        public void close() {
            synchronized (MemoryViewStores.this) {
                if (isOpen()) {
                    closeUnflushed(content);
                }
            }
        }

        private boolean isOpen() {
            return content.open && content.opening == opening;
        }

        private Content checkOpen() throws IOException {
            if (!isOpen()) {
                throw new IOException("the store of view '" + view + "' is closed");
            }
            return content;
        }
    }
}
