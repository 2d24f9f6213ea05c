package dev.perigee.store.index;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.disk.ForwardingDisk;
import dev.perigee.store.disk.ForwardingFile;
import dev.perigee.store.log.Preparer.StandingTask;
import dev.perigee.store.view.ViewWorld;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeyIndexViewTest {
    private static final long EVER = Long.MAX_VALUE;

    private final ViewWorld<KeyIndexView> world = IndexWorld.open(1);

    private long put(String topic, String keys) {
        return world.log().append(world.log().next(topic, 0).keys(keys));
    }

    private List<Long> query(String topic, String key) {
        return world.settle().query(topic, key, 64, 0, EVER);
    }

    @Test
    void everyKeyAndTheUniqueKeyFindTheFrame() {
        long at = world.log()
                .append(world.log().next("orders", 0).uniqueKey("7F000001").keys("a bb  ccc"));
        for (String key : List.of("7F000001", "a", "bb", "ccc")) {
            assertThat(query("orders", key)).as(key).containsExactly(at);
        }
        for (String key : List.of("", "b", "a bb", "7F00", "ccc ")) {
            assertThat(query("orders", key)).as(key).isEmpty();
        }
        assertThat(query("others", "a")).isEmpty();
    }

    @Test
    void k05KeysWhoseHashesCollideFindNothingOfEachOther() {
        long first = put("AaTopic", "Aa");
        long second = put("BBTopic", "BB");
        assertThat(query("AaTopic", "BB")).isEmpty();
        assertThat(query("BBTopic", "Aa")).isEmpty();
        assertThat(query("AaTopic", "Aa")).containsExactly(first);
        assertThat(query("BBTopic", "BB")).containsExactly(second);
        assertThat(KeyHash.of("AaTopic", "BB")).isEqualTo(KeyHash.of("BBTopic", "BB"));
    }

    @Test
    void newestComeFirstAndTheLimitIsExact() {
        List<Long> offsets = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            offsets.add(put("orders", "same other" + i));
        }
        Collections.reverse(offsets);
        world.settle();
        assertThat(world.view().query("orders", "same", 7, 0, EVER)).isEqualTo(offsets.subList(0, 7));
        assertThat(world.view().query("orders", "same", 1000, 0, EVER)).isEqualTo(offsets);
        assertThat(world.view().query("orders", "same", 0, 0, EVER)).isEmpty();
    }

    @Test
    void frameWithTheSameKeyTwiceIsFoundOnce() {
        long at =
                world.log().append(world.log().next("orders", 0).uniqueKey("k").keys("k k"));
        assertThat(query("orders", "k")).containsExactly(at);
    }

    @Test
    void timeRangeIsExactAndInclusive() {
        List<Long> offsets = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            world.log().nowMs(5_000_000 + i * 10L);
            offsets.add(put("orders", "k"));
        }
        world.settle();
        List<Long> found = world.view().query("orders", "k", 1000, 5_000_200, 5_000_300);
        List<Long> expected = new ArrayList<>(offsets.subList(20, 31));
        Collections.reverse(expected);
        assertThat(found).isEqualTo(expected);
        assertThat(world.view().query("orders", "k", 1000, 0, 4_999_999)).isEmpty();
        assertThat(world.view().query("orders", "k", 1000, 5_000_991, EVER)).isEmpty();
    }

    @Test
    void aQueryEndsAtTheFirstEntryThatIsTooOld() {
        int entries = 5_000;
        int perSecond = 100;
        int[] reads = {0};
        CrashingDisk disk = new CrashingDisk(new Random(3));
        Disk counting = new ForwardingDisk(disk) {
            @Override
            public DiskFile openRead(String name) throws IOException {
                return new ForwardingFile(super.openRead(name)) {
                    @Override
                    public int read(ByteBuffer target, long position) throws IOException {
                        reads[0]++;
                        return super.read(target, position);
                    }
                };
            }
        };
        IndexConfig oneFile = new IndexConfig(1 << 13, 1 << 13, 8);
        ViewWorld<KeyIndexView> large =
                new ViewWorld<>(disk, made -> new KeyIndexView(counting, oneFile, made.frames()), disk);
        List<Long> places = new ArrayList<>();
        for (int i = 0; i < entries; i++) {
            large.log().nowMs(5_000_000 + i * 1_000L / perSecond);
            places.add(large.log().append(large.log().next("orders", 0).keys("k")));
        }
        large.settle();
        reads[0] = 0;
        List<Long> newest = new ArrayList<>(places.subList(entries - 10, entries));
        Collections.reverse(newest);
        assertThat(large.view().query("orders", "k", 64, large.log().nowMs() - 9 * 1_000L / perSecond, EVER))
                .isEqualTo(newest);
        assertThat(reads[0]).as("the ten, and up to a second more").isLessThan(2 * perSecond + 10);
    }

    @Test
    void rolledBackMessagesAreNotIndexed() {
        world.log().append(world.log().next("orders", 0).keys("k").sysFlag(0xC));
        long prepared =
                world.log().append(world.log().next("orders", 0).keys("k").sysFlag(0x4));
        long committed =
                world.log().append(world.log().next("orders", 0).keys("k").sysFlag(0x8));
        assertThat(query("orders", "k")).containsExactly(committed, prepared);
    }

    @Test
    void keysBeyondAsciiAndLongTopicsAreFound() {
        String topic = "%RETRY%" + "g".repeat(150);
        long at = put(topic, "schlüssel 键");
        assertThat(query(topic, "键")).containsExactly(at);
        assertThat(query(topic, "schlüssel")).containsExactly(at);
    }

    @Test
    void idleIndexWritesNoFile() throws Exception {
        put("orders", "one");
        world.checkpoint();
        assertThat(world.disk().list("index")).containsExactly("view.checkpoint");
        world.restart();
        assertThat(query("orders", "one")).hasSize(1);
    }

    @Test
    void tornFileIsDroppedAndRebuilt() throws Exception {
        for (int i = 0; i < 200; i++) {
            put("orders", "k" + i);
        }
        world.checkpoint();
        String before = world.view().fingerprint();
        world.disk().flip(IndexFile.name(0), 3, 0x10);
        world.restart();
        assertThat(world.view().fingerprint()).isEqualTo(before);
        assertThat(query("orders", "k3")).hasSize(1);
    }

    @Test
    void growingFileWithADamagedEntryIsRebuilt() throws Exception {
        for (int i = 0; i < 16 + 30; i++) {
            put("orders", "k" + i);
        }
        world.checkpoint();
        String before = world.view().fingerprint();
        world.disk().flip(IndexFile.name(1), 64 + 64 * 4 + 3, 0x01);
        world.restart();
        assertThat(world.view().fingerprint()).isEqualTo(before);
    }

    @Test
    void trimmedFilesGoAndTheRestIsFound() throws Exception {
        List<Long> offsets = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            offsets.add(put("orders", "k" + i));
        }
        world.settle();
        long start = world.log().log().segments().get(2).startOffset();
        world.view().trimmed(start);
        world.checkpoint();
        world.log().trimTo(start);
        assertThat(world.disk().exists(IndexFile.name(0))).isFalse();
        for (int i = 0; i < 2000; i += 37) {
            assertThat(query("orders", "k" + i)).hasSize(offsets.get(i) < start ? 0 : 1);
        }
        assertThat(world.differenceFromRebuilt(disk -> new KeyIndexView(disk, IndexWorld.SMALL, world.frames())))
                .isEmpty();
    }

    @Test
    void theViewLoopOpensAndWritesNoFileWhenOthersWrite() {
        CrashingDisk disk = new CrashingDisk(new Random(7));
        List<String> opened = new ArrayList<>();
        Disk watched = new ForwardingDisk(disk) {
            @Override
            public DiskFile open(String name) throws IOException {
                opened.add(name);
                return super.open(name);
            }
        };
        ViewWorld<KeyIndexView> helped =
                new ViewWorld<>(disk, made -> new KeyIndexView(watched, IndexWorld.SMALL, made.frames()), watched);
        int[] woken = {0};
        StandingTask writing = helped.view().writeElsewhere(() -> woken[0]++);
        List<Long> places = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            places.add(helped.log().append(helped.log().next("orders", 0).keys("key" + i)));
        }
        helped.settle();
        assertThat(opened).isEmpty();
        assertThat(woken[0]).isPositive();
        assertThat(helped.view().query("orders", "key7", 9, 0, EVER)).containsExactly(places.get(7));
        assertThat(writing.step(0)).isTrue();
        assertThat(opened).contains(IndexFile.name(0), IndexFile.name(1));
        for (int i = 0; i < 300; i++) {
            assertThat(helped.view().query("orders", "key" + i, 9, 0, EVER)).containsExactly(places.get(i));
        }
    }

    @Test
    void filesThatStayUnwritableHoldTheViewsUpUntilTheyAreWritten() throws IOException {
        CrashingDisk disk = new CrashingDisk(new Random(7));
        boolean[] failing = {true};
        int[] tries = {0};
        Disk watched = new ForwardingDisk(disk) {
            @Override
            public DiskFile open(String name) throws IOException {
                return new ForwardingFile(super.open(name)) {
                    @Override
                    public void write(ByteBuffer source, long position) throws IOException {
                        if (failing[0] && name.startsWith("index/0")) {
                            tries[0]++;
                            throw new IOException("injected: " + name + " cannot be written");
                        }
                        super.write(source, position);
                    }
                };
            }
        };
        ViewWorld<KeyIndexView> held =
                new ViewWorld<>(disk, made -> new KeyIndexView(watched, IndexWorld.SMALL, made.frames()), watched);
        List<Long> places = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            places.add(held.log().append(held.log().next("orders", 0).keys("key" + i)));
        }
        held.settle();
        assertThat(held.view().isHeldUp()).isTrue();
        assertThat(held.loop().appliedOffset())
                .isPositive()
                .isLessThan(held.log().end());
        int before = tries[0];
        assertThat(held.loop().doShortWork(1)).isFalse();
        assertThat(tries[0])
                .as("no file is tried on another thread than the loop's")
                .isEqualTo(before);
        failing[0] = false;
        held.settle();
        assertThat(held.view().isHeldUp()).isFalse();
        assertThat(held.loop().appliedOffset()).isEqualTo(held.log().end());
        held.checkpoint();
        held.restart();
        assertThat(held.replayedBytes()).isZero();
        for (int i : List.of(0, 1, 700, 1_999)) {
            assertThat(held.view().query("orders", "key" + i, 64, 0, EVER)).containsExactly(places.get(i));
        }
    }
}
