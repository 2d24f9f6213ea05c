package dev.perigee.store.kv;

import dev.perigee.loop.Opened;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.view.LogPosition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store of a view in a RocksDB without a log of its own (R16). Its memory is bounded: 8 MiB of what is not yet on disk and
 * 8 MiB of blocks read.
 */
@ThreadSafe
final class RocksViewStore implements ViewStore {
    private static final Logger LOG = LoggerFactory.getLogger(RocksViewStore.class);
    private static final long BLOCK_CACHE_BYTES = 8 << 20;
    private static final long WRITE_BUFFER_BYTES = 2 << 20;
    /** Four small ones rather than two large ones: a flush makes room sooner, so that a burst of writes does not wait. */
    private static final int WRITE_BUFFERS = 4;

    private static final int MAX_OPEN_FILES = 64;
    private static final double BLOOM_BITS_PER_KEY = 10;
    private static final long INFO_LOG_BYTES = 1 << 20;
    private static final long INFO_LOGS = 2;
    /** Reads get slower with each file of the first level, writes must not wait for them to be merged. */
    private static final int SLOWDOWN_FILES = 100;

    private static final int STOP_FILES = 200;
    private static final int BATCH_OVERHEAD_BYTES = 12;
    private static final int CHANGE_OVERHEAD_BYTES = 12;

    /** Told by a store when it ends. */
    interface Ending {
        void closed();

        /** After {@link #closed}: what it kept is to go. */
        void destroyed() throws IOException;
    }

    private final String view;
    private final RocksDB db;
    private final Opened parts;
    private final WriteOptions writeOptions;
    private final Optional<LogPosition> position;
    private final Ending ending;
    /**
     * Guards the native objects against being freed while a call uses them, which would end the process: calls share it,
     * closing has it alone. A message would not do, for readers are on many threads.
     */
    private final ReadWriteLock calls = new ReentrantReadWriteLock();

    private boolean closed;

    private RocksViewStore(
            String view, Path folder, Opened parts, RocksDB db, Optional<LogPosition> position, Ending ending) {
        this.view = view;
        this.db = db;
        this.parts = parts;
        this.writeOptions = parts.with(new WriteOptions().setDisableWAL(true));
        this.position = position;
        this.ending = ending;
        LOG.info("event=view_store_opened view={} folder={} position={}", view, folder, position.orElse(null));
    }

    /** Opens the database in a folder; the library is loaded. Blocks. */
    static ViewStore open(String view, Path folder, Ending ending) throws IOException {
        try (Opened opened = new Opened()) {
            Opened parts = opened.with(new Opened());
            RocksDB db = parts.with(RocksDB.open(options(parts), folder.toString()));
            byte[] reached = db.get(PositionEntry.KEY);
            Optional<LogPosition> position =
                    reached == null ? Optional.empty() : Optional.of(PositionEntry.decode(reached));
            ViewStore store = new RocksViewStore(view, folder, parts, db, position, ending);
            opened.keep();
            return store;
        } catch (RocksDBException e) {
            throw new IOException(
                    "the store of view '" + view + "' in " + folder + " cannot be opened: " + e.getMessage(), e);
        }
    }

    private static Options options(Opened parts) {
        BlockBasedTableConfig table = new BlockBasedTableConfig()
                .setBlockCache(parts.with(new LRUCache(BLOCK_CACHE_BYTES)))
                .setCacheIndexAndFilterBlocks(true)
                .setFilterPolicy(parts.with(new BloomFilter(BLOOM_BITS_PER_KEY)));
        return parts.with(new Options())
                .setCreateIfMissing(true)
                .setParanoidChecks(true)
                .setTableFormatConfig(table)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setWriteBufferSize(WRITE_BUFFER_BYTES)
                .setMaxWriteBufferNumber(WRITE_BUFFERS)
                .setLevel0SlowdownWritesTrigger(SLOWDOWN_FILES)
                .setLevel0StopWritesTrigger(STOP_FILES)
                .setMaxBackgroundJobs(1)
                .setMaxOpenFiles(MAX_OPEN_FILES)
                .setAvoidFlushDuringShutdown(true)
                .setStatsDumpPeriodSec(0)
                .setStatsPersistPeriodSec(0)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                .setMaxLogFileSize(INFO_LOG_BYTES)
                .setKeepLogFileNum(INFO_LOGS);
    }

    @Override
    public Optional<LogPosition> position() {
        return position;
    }

    /** Work with the native objects. */
    private interface Call<T> {
        T make() throws RocksDBException, IOException;
    }

    private <T> T call(String what, Call<T> call) throws IOException {
        Lock shared = calls.readLock();
        shared.lock();
        try {
            if (closed) {
                throw new IOException("the store of view '" + view + "' is closed");
            }
            return call.make();
        } catch (RocksDBException e) {
            throw new IOException("the store of view '" + view + "' fails to " + what + ": " + e.getMessage(), e);
        } finally {
            shared.unlock();
        }
    }

    @Override
    public void write(ViewBatch batch, LogPosition reached) throws IOException {
        call("write", () -> {
            long roughBytes =
                    batch.sizeBytes() + (long) (batch.count() + 1) * CHANGE_OVERHEAD_BYTES + BATCH_OVERHEAD_BYTES;
            try (WriteBatch target = new WriteBatch((int) Math.min(roughBytes, Integer.MAX_VALUE))) {
                batch.replay(new BatchTarget(target));
                target.put(PositionEntry.KEY, PositionEntry.encode(reached));
                db.write(writeOptions, target);
            }
            return reached;
        });
    }

    private record BatchTarget(WriteBatch batch) implements ViewBatch.Target {
        @Override
        public void put(byte[] key, byte[] value) throws IOException {
            try {
                batch.put(key, value);
            } catch (RocksDBException e) {
                throw new IOException(e);
            }
        }

        @Override
        public void delete(byte[] key) throws IOException {
            try {
                batch.delete(key);
            } catch (RocksDBException e) {
                throw new IOException(e);
            }
        }

        @Override
        public void deleteRange(byte[] from, byte[] to) throws IOException {
            try {
                batch.deleteRange(from, to);
            } catch (RocksDBException e) {
                throw new IOException(e);
            }
        }
    }

    @Override
    public Optional<byte[]> get(byte[] key) throws IOException {
        return Arrays.equals(key, PositionEntry.KEY)
                ? Optional.empty()
                : call("read", () -> Optional.ofNullable(db.get(key)));
    }

    @Override
    public void scan(byte[] from, byte[] to, KeyVisitor visitor) throws IOException {
        if (Arrays.compareUnsigned(from, to) >= 0) {
            return;
        }
        call("read", () -> {
            try (Slice end = new Slice(to);
                    ReadOptions options = new ReadOptions().setIterateUpperBound(end);
                    RocksIterator iterator = db.newIterator(options)) {
                iterator.seek(from);
                while (iterator.isValid() && visit(iterator, visitor)) {
                    iterator.next();
                }
                iterator.status(); // an iterator that met a failure is as one at its end
            }
            return true;
        });
    }

    private static boolean visit(RocksIterator at, KeyVisitor visitor) {
        byte[] key = at.key();
        return Arrays.equals(key, PositionEntry.KEY) || visitor.visit(key, at.value());
    }

    @Override
    public void flush() throws IOException {
        call("flush", () -> {
            try (FlushOptions options = new FlushOptions().setWaitForFlush(true)) {
                db.flush(options);
            }
            return true;
        });
    }

    @Override
    public void destroy() throws IOException {
        if (end()) {
            ending.destroyed();
        }
    }

    @Override
    public void close() {
        end();
    }

    /** Whether it was this call that ended it. */
    private boolean end() {
        Lock alone = calls.writeLock();
        alone.lock();
        try {
            if (closed) {
                return false;
            }
            closed = true;
            parts.close();
        } finally {
            alone.unlock();
        }
        ending.closed();
        return true;
    }
}
