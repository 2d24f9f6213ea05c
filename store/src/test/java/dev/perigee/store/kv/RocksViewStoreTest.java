package dev.perigee.store.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.store.view.LogPosition;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.util.Environment;

final class RocksViewStoreTest extends ViewStoreContract {
    private static final String PACKED = Environment.getJniLibraryFileName("rocksdb");
    private static final int KILLS = 3;
    private static final long FLUSH_EVERY = 500;

    @TempDir
    Path root;

    private RocksViewStores stores;

    @BeforeEach
    void makeStores() {
        stores = new RocksViewStores(root);
    }

    @Override
    ViewStores stores() {
        return stores;
    }

    @Test
    void aDatabaseLiesBesideTheCheckpointOfItsView() throws Exception {
        stores.open(VIEW).close();
        assertThat(root.resolve("timers/kv/CURRENT")).exists();
    }

    @Test
    void aFolderWhoseMountForbidsProgramsIsRecognized() throws Exception {
        List<String> table = List.of(
                "/dev/sda1 / ext4 rw,noexec 0 0",
                "/dev/sdb1 /data ext4 rw,relatime 0 0",
                "/dev/sdc1 /data/my\\040broker ext4 rw,nosuid,noexec 0 0");
        assertThat(Mounts.forbiddingPrograms(Path.of("/data/broker"), table)).isEmpty();
        assertThat(Mounts.forbiddingPrograms(Path.of("/data/my broker/native"), table))
                .contains(Path.of("/data/my broker"));
        assertThat(Mounts.forbiddingPrograms(Path.of("/database"), table)).contains(Path.of("/"));
        stores.check();
    }

    @Test
    void theLibraryIsUnpackedOnceBelowTheFolderOfTheStore() throws Exception {
        Path library = NativeLibrary.unpack(root.resolve("native"), PACKED);
        Files.setLastModifiedTime(library, FileTime.fromMillis(1_000));
        Path old = Files.createDirectories(root.resolve("native/rocksdb-old"));
        assertThat(NativeLibrary.unpack(root.resolve("native"), PACKED)).isEqualTo(library);
        assertThat(Files.getLastModifiedTime(library).toMillis())
                .as("not written again")
                .isEqualTo(1_000);
        assertThat(old).exists();
        Files.delete(library);
        assertThat(NativeLibrary.unpack(root.resolve("native"), PACKED))
                .isEqualTo(library)
                .isNotEmptyFile();
        assertThat(old).as("an older version").doesNotExist();
    }

    @Test
    void aMachineTheLibraryIsNotPackedForIsNamedWithTheFolderAndWhatHelps() {
        assertThatThrownBy(() -> NativeLibrary.unpack(root.resolve("native"), "librocksdbjni-linux-mips.so"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("os.name=" + System.getProperty("os.name"))
                .hasMessageContaining("os.arch=" + System.getProperty("os.arch"))
                .hasMessageContaining("librocksdbjni-linux-mips.so")
                .hasMessageContaining(root.resolve("native").toString())
                .hasMessageContaining("Linux with x86_64 or aarch64")
                .hasMessageNotContaining("\n");
    }

    @Test
    void aFolderTheLibraryCannotBeUnpackedToIsNamedWithTheMachine() throws Exception {
        Path file = Files.writeString(root.resolve("native"), "no folder");
        assertThatThrownBy(() -> NativeLibrary.unpack(file, PACKED))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot be unpacked to " + file)
                .hasMessageContaining("os.arch=" + System.getProperty("os.arch"))
                .hasMessageContaining("must be writable");
    }

    @Test
    void aDamagedDatabaseIsRefusedByNameAndCanBeRemoved() throws Exception {
        try (ViewStore store = stores.open(VIEW)) {
            store.write(new ViewBatch().put(bytes("a"), bytes("1")), at(1));
            store.flush();
        }
        Files.writeString(root.resolve("timers/kv/CURRENT"), "rubbish");
        assertThatThrownBy(() -> stores.open(VIEW))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("view 'timers'")
                .hasMessageContaining(root.toString());
        assertThat(stores.exists(VIEW)).isTrue();
        stores.remove(VIEW);
        try (ViewStore store = stores.open(VIEW)) {
            assertThat(store.position()).isEmpty();
        }
    }

    @Test
    void closingWaitsForAWalkUnderWay() throws Exception {
        ViewStore store = stores.open(VIEW);
        store.write(new ViewBatch().put(bytes("a"), bytes("1")).put(bytes("b"), bytes("2")), at(1));
        CountDownLatch walking = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        List<String> seen = new ArrayList<>();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread reader = new Thread(() -> {
            try {
                store.scan(bytes("a"), bytes("z"), (key, value) -> {
                    walking.countDown();
                    seen.add(new String(key, StandardCharsets.ISO_8859_1));
                    return await(goOn);
                });
            } catch (IOException | RuntimeException e) {
                failure.set(e);
            }
        });
        reader.start();
        walking.await();
        Thread closer = new Thread(() -> {
            try {
                store.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        closer.start();
        goOn.countDown();
        reader.join();
        closer.join();
        assertThat(failure.get()).isNull();
        assertThat(seen).containsExactly("a", "b");
        assertThatThrownBy(store::flush).hasMessageContaining("closed");
    }

    private static boolean await(CountDownLatch latch) {
        try {
            latch.await();
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** A process of its own writes entries that count up, in batches that move the position alike, until it is killed. */
    @Test
    void afterAKillThePositionAndTheDataAgree() throws Exception {
        long before = 0;
        for (int kill = 0; kill < KILLS; kill++) {
            long flushed = writeUntilKilled();
            try (ViewStore store = stores.open(VIEW)) {
                long reached = store.position().map(LogPosition::offset).orElse(0L);
                assertThat(reached).as("what was flushed is there").isGreaterThanOrEqualTo(Math.max(flushed, before));
                List<Long> found = new ArrayList<>();
                store.scan(
                        Counting.key(0), Counting.key(Long.MAX_VALUE), (key, value) -> found.add(Counting.number(key)));
                assertThat(found).as("entries at position %s", reached).hasSize((int) reached);
                before = reached;
            }
        }
    }

    private long writeUntilKilled() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Counting.class.getName(),
                        root + File.separator)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        long flushed = 0;
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (int i = 0; i < 3; i++) {
                String line = lines.readLine();
                assertThat(line).as("a line of the writing process").startsWith("flushed ");
                flushed = Long.parseLong(line.substring("flushed ".length()));
            }
            process.destroyForcibly();
            process.waitFor();
            return flushed;
        }
    }

    /** Writes the numbers from where the store is, three in a batch, and says each time it has flushed. */
    static final class Counting {
        private Counting() {}

        static byte[] key(long number) {
            return ByteBuffer.allocate(9).put((byte) 'd').putLong(number).array();
        }

        static long number(byte[] key) {
            return ByteBuffer.wrap(key).getLong(1);
        }

        public static void main(String[] args) throws Exception {
            ViewStore store = new RocksViewStores(Path.of(args[0])).open(VIEW);
            long next = store.position().map(LogPosition::offset).orElse(0L);
            byte[] value = new byte[100];
            for (long batches = 1; ; batches++) {
                ViewBatch batch = new ViewBatch();
                for (int i = 0; i < 3; i++) {
                    batch.put(key(next++), value);
                }
                store.write(batch, at(next));
                if (batches % FLUSH_EVERY == 0) {
                    store.flush();
                    System.out.println("flushed " + next);
                }
            }
        }
    }
}
