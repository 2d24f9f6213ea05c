package dev.perigee.store.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.store.view.LogPosition;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What every {@link ViewStore} promises. */
abstract class ViewStoreContract {
    static final String VIEW = "timers";

    /** The stores under test, the same ones each time. */
    abstract ViewStores stores() throws IOException;

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    static LogPosition at(long offset) {
        return new LogPosition(7, 2, offset);
    }

    static List<String> keys(ViewStore store, String from, String to) throws IOException {
        List<String> keys = new ArrayList<>();
        store.scan(bytes(from), bytes(to), (key, value) -> {
            keys.add(new String(key, StandardCharsets.ISO_8859_1));
            return true;
        });
        return keys;
    }

    @Test
    void aNewStoreIsEmptyAndHasNoPosition() throws Exception {
        assertThat(stores().exists(VIEW)).isFalse();
        try (ViewStore store = stores().open(VIEW)) {
            assertThat(stores().exists(VIEW)).isTrue();
            assertThat(store.position()).isEmpty();
            assertThat(store.get(bytes("a"))).isEmpty();
            assertThat(keys(store, "a", "z")).isEmpty();
        }
    }

    @Test
    void whatWasWrittenIsReadAtOnce() throws Exception {
        try (ViewStore store = stores().open(VIEW)) {
            store.write(new ViewBatch().put(bytes("a"), bytes("1")).put(bytes("b"), new byte[0]), at(100));
            assertThat(store.get(bytes("a"))).contains(bytes("1"));
            assertThat(store.get(bytes("b"))).contains(new byte[0]);
            store.write(new ViewBatch().put(bytes("a"), bytes("2")).delete(bytes("b")), at(200));
            assertThat(store.get(bytes("a"))).contains(bytes("2"));
            assertThat(store.get(bytes("b"))).isEmpty();
        }
    }

    @Test
    void laterChangesOfABatchWin() throws Exception {
        try (ViewStore store = stores().open(VIEW)) {
            ViewBatch batch = new ViewBatch()
                    .put(bytes("a"), bytes("1"))
                    .deleteRange(bytes("a"), bytes("c"))
                    .put(bytes("b"), bytes("2"))
                    .put(bytes("b"), bytes("3"))
                    .put(bytes("d"), bytes("4"))
                    .delete(bytes("d"));
            assertThat(batch.count()).isEqualTo(6);
            assertThat(batch.sizeBytes()).isEqualTo(2 + 2 + 2 + 2 + 2 + 1);
            store.write(batch, at(1));
            assertThat(keys(store, "a", "z")).containsExactly("b");
            assertThat(store.get(bytes("b"))).contains(bytes("3"));
        }
    }

    @Test
    void aWalkGoesByUnsignedBytesFromTheFirstToBeforeTheLast() throws Exception {
        try (ViewStore store = stores().open(VIEW)) {
            ViewBatch batch = new ViewBatch();
            for (String key : List.of("d\u00ff", "d", "d\u007f", "d\u0080", "e", "c", "d\u0000")) {
                batch.put(bytes(key), bytes("v"));
            }
            store.write(batch, at(1));
            assertThat(keys(store, "d", "e")).containsExactly("d", "d\u0000", "d\u007f", "d\u0080", "d\u00ff");
            assertThat(keys(store, "e", "d")).isEmpty();
            assertThat(keys(store, "d", "d")).isEmpty();
        }
    }

    @Test
    void aVisitorThatHasEnoughEndsTheWalk() throws Exception {
        try (ViewStore store = stores().open(VIEW)) {
            store.write(new ViewBatch().put(bytes("a"), bytes("1")).put(bytes("b"), bytes("2")), at(1));
            List<String> seen = new ArrayList<>();
            store.scan(bytes("a"), bytes("z"), (key, value) -> {
                seen.add(new String(value, StandardCharsets.ISO_8859_1));
                return false;
            });
            assertThat(seen).containsExactly("1");
        }
    }

    @Test
    void aWalkSeesTheMapAsItWasWhenItBegan() throws Exception {
        try (ViewStore store = stores().open(VIEW)) {
            store.write(new ViewBatch().put(bytes("a"), bytes("1")).put(bytes("c"), bytes("3")), at(1));
            List<String> seen = new ArrayList<>();
            store.scan(bytes("a"), bytes("z"), (key, value) -> {
                seen.add(new String(key, StandardCharsets.ISO_8859_1));
                write(store, new ViewBatch().put(bytes("b"), bytes("2")).delete(bytes("c")), at(2));
                return true;
            });
            assertThat(seen).containsExactly("a", "c");
            assertThat(keys(store, "a", "z")).containsExactly("a", "b");
        }
    }

    private static void write(ViewStore store, ViewBatch batch, LogPosition reached) {
        try {
            store.write(batch, reached);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void thePositionIsNoEntryOfTheView() throws Exception {
        try (ViewStore store = stores().open(VIEW)) {
            store.write(new ViewBatch().put(bytes("o"), bytes("1")).put(bytes("q"), bytes("2")), at(5));
            store.write(new ViewBatch().deleteRange(bytes("o"), bytes("z")), at(6));
            assertThat(keys(store, "a", "z")).isEmpty();
            assertThat(store.get(bytes("p"))).isEmpty();
            store.flush();
        }
        try (ViewStore store = stores().open(VIEW)) {
            assertThat(store.position())
                    .as("not deleted by the range around it")
                    .contains(at(6));
        }
        assertThatThrownBy(() -> new ViewBatch().put(bytes("p"), bytes("x")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the store's own");
        assertThatThrownBy(() -> new ViewBatch().delete(new byte[0])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatWasFlushedIsThereAfterwardsWithItsPosition() throws Exception {
        try (ViewStore store = stores().open(VIEW)) {
            store.write(new ViewBatch().put(bytes("a"), bytes("1")), at(100));
            store.flush();
            store.flush();
        }
        try (ViewStore store = stores().open(VIEW)) {
            assertThat(store.position()).contains(at(100));
            assertThat(store.get(bytes("a"))).contains(bytes("1"));
        }
    }

    @Test
    void anEmptyBatchMovesThePositionAlone() throws Exception {
        try (ViewStore store = stores().open(VIEW)) {
            store.write(new ViewBatch(), at(100));
            store.flush();
        }
        try (ViewStore store = stores().open(VIEW)) {
            assertThat(store.position()).contains(at(100));
        }
    }

    @Test
    void withoutAFlushDataAndPositionAreLostTogether() throws Exception {
        try (ViewStore store = stores().open(VIEW)) {
            store.write(new ViewBatch().put(bytes("a"), bytes("1")), at(100));
            store.flush();
            store.write(new ViewBatch().put(bytes("b"), bytes("2")).delete(bytes("a")), at(200));
        }
        try (ViewStore store = stores().open(VIEW)) {
            assertThat(store.position()).contains(at(100));
            assertThat(keys(store, "a", "z")).containsExactly("a");
        }
    }

    @Test
    void aDestroyedStoreIsGoneAndCanBeMadeAnew() throws Exception {
        ViewStore store = stores().open(VIEW);
        store.write(new ViewBatch().put(bytes("a"), bytes("1")), at(100));
        store.flush();
        store.destroy();
        store.destroy();
        assertThat(stores().exists(VIEW)).isFalse();
        try (ViewStore next = stores().open(VIEW)) {
            assertThat(next.position()).isEmpty();
            assertThat(keys(next, "a", "z")).isEmpty();
            store.destroy(); // its time is over: the next one is not touched
            assertThat(stores().exists(VIEW)).isTrue();
            next.write(new ViewBatch().put(bytes("a"), bytes("1")), at(1));
        }
    }

    @Test
    void aStoreIsRemovedWithoutBeingOpened() throws Exception {
        stores().remove(VIEW);
        try (ViewStore store = stores().open(VIEW)) {
            store.write(new ViewBatch().put(bytes("a"), bytes("1")), at(100));
            store.flush();
            assertThatThrownBy(() -> stores().remove(VIEW))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(VIEW);
        }
        stores().remove(VIEW);
        assertThat(stores().exists(VIEW)).isFalse();
    }

    @Test
    void aStoreIsOpenOnlyOnce() throws Exception {
        try (ViewStore store = stores().open(VIEW)) {
            assertThat(store.position()).isEmpty();
            assertThatThrownBy(() -> stores().open(VIEW))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(VIEW);
        }
    }

    @Test
    void storesOfTwoViewsAreApart() throws Exception {
        try (ViewStore one = stores().open(VIEW);
                ViewStore other = stores().open("pop")) {
            one.write(new ViewBatch().put(bytes("a"), bytes("1")), at(1));
            assertThat(other.get(bytes("a"))).isEmpty();
        }
    }

    @Test
    void afterTheEndEveryCallFailsByName() throws Exception {
        ViewStore store = stores().open(VIEW);
        store.close();
        store.close();
        assertThatThrownBy(() -> store.get(bytes("a")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("store of view 'timers' is closed");
        assertThatThrownBy(() -> store.write(new ViewBatch(), at(1))).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> keys(store, "a", "b")).isInstanceOf(IOException.class);
        assertThatThrownBy(store::flush).isInstanceOf(IOException.class);
    }

    @Test
    void aThousandRandomBatchesLeaveWhatAMapWouldHold() throws Exception {
        Random random = new Random(11);
        NavigableMap<byte[], byte[]> expected = new TreeMap<>(Arrays::compareUnsigned);
        try (ViewStore store = stores().open(VIEW)) {
            for (int round = 1; round <= 1_000; round++) {
                ViewBatch batch = new ViewBatch();
                for (int i = random.nextInt(8); i > 0; i--) {
                    change(random, batch, expected);
                }
                store.write(batch, at(round));
                if (random.nextInt(200) == 0) {
                    store.flush();
                }
            }
            List<String> found = new ArrayList<>();
            store.scan(bytes("a"), bytes("z"), (key, value) -> found.add(entry(key, value)));
            List<String> wanted = new ArrayList<>();
            for (Map.Entry<byte[], byte[]> entry : expected.entrySet()) {
                wanted.add(entry(entry.getKey(), entry.getValue()));
            }
            assertThat(found).isEqualTo(wanted);
        }
    }

    private static void change(Random random, ViewBatch batch, NavigableMap<byte[], byte[]> expected) {
        byte[] key = key(random);
        switch (random.nextInt(6)) {
            case 0 -> {
                batch.delete(key);
                expected.remove(key);
            }
            case 1 -> {
                byte[] to = key(random);
                batch.deleteRange(key, to);
                if (Arrays.compareUnsigned(key, to) < 0) {
                    expected.subMap(key, to).clear();
                }
            }
            default -> {
                byte[] value = {(byte) random.nextInt()};
                batch.put(key, value);
                expected.put(key, value);
            }
        }
    }

    private static byte[] key(Random random) {
        return new byte[] {'d', (byte) random.nextInt(), (byte) random.nextInt(4)};
    }

    private static String entry(byte[] key, byte[] value) {
        return Arrays.toString(key) + "=" + Arrays.toString(value);
    }
}
