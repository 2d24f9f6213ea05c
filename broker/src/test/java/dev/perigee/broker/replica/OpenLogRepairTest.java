package dev.perigee.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import dev.perigee.remoting.memory.MemoryTransport;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** R28: what rots in a log that is open comes again from another node, while the log goes on. */
class OpenLogRepairTest {
    private static final long STEP_MS = 10;
    private static final int NETWORK_STEPS = 100_000;

    private long passedMs;
    private final Clock clock = new Clock() {
        @Override
        public long wallMs() {
            return 1_700_000_000_000L + passedMs;
        }

        @Override
        public long monotonicNs() {
            return (1_000 + passedMs) * 1_000_000;
        }
    };
    private final Random random = new Random(5);
    private final MemoryTransport network = new MemoryTransport(clock);
    private final ReplicaNode master = new ReplicaNode(0, random, clock, network);
    private final ReplicaNode one = new ReplicaNode(1, random, clock, network);
    private final ReplicaNode two = new ReplicaNode(2, random, clock, network);
    private long place;

    private void run(long ms) {
        for (long end = passedMs + ms; passedMs < end; passedMs += STEP_MS) {
            for (ReplicaNode node : List.of(master, one, two)) {
                node.step();
                network.runUntilIdle(NETWORK_STEPS);
            }
        }
    }

    private void runUntil(BooleanSupplier reached) {
        for (int i = 0; i < 3_000 && !reached.getAsBoolean(); i++) {
            run(STEP_MS);
        }
        assertThat(reached.getAsBoolean()).isTrue();
    }

    private void sendFor(long ms) {
        for (long end = passedMs + ms; passedMs < end; ) {
            master.send(random.nextInt(1_000));
            run(STEP_MS);
        }
    }

    @BeforeEach
    void open() throws Exception {
        master.openMaster(true);
        one.openSlave();
        runUntil(() -> !master.inSync().isEmpty());
        sendFor(1_000);
        place = master.log().endOffset();
        sendFor(1_000);
        runUntil(() -> one.log().confirmOffset() == master.log().endOffset());
    }

    private void assertSame(ReplicaNode slave) {
        runUntil(() -> slave.log().endOffset() == master.log().endOffset()
                && slave.log().confirmOffset() == master.log().confirmOffset());
        assertThat(slave.bytes()).isEqualTo(master.bytes());
        for (ReplicaNode node : List.of(master, one, two)) {
            assertThat(node.faults).isEmpty();
        }
    }

    @Test
    void whatIsDamagedOnAMasterComesFromASlaveWhileSendsGoOn() throws Exception {
        byte[] sound = one.bytes();
        master.damage(place + 40);
        assertThat(master.bytes()).isNotEqualTo(sound);
        master.meetDamage(place);
        sendFor(500);
        runUntil(() -> master.damagedPlaces() == 0);
        assertSame(one);
        assertThat(one.bytes()).startsWith(sound);
        master.close();
        master.openMaster(true);
        runUntil(() -> one.isFollowing());
        assertSame(one);
    }

    @Test
    void whatIsDamagedOnASlaveComesFromItsMaster() throws Exception {
        byte[] sound = master.bytes();
        one.damage(place + 40);
        one.meetDamage(place);
        runUntil(() -> one.damagedPlaces() == 0);
        assertThat(one.bytes()).startsWith(sound);
        assertSame(one);
    }

    @Test
    void aFeedThatMeetsDamageSendsNothingOfItAndGoesOnWhenItIsMended() throws Exception {
        master.damage(place + 40);
        two.openSlave();
        runUntil(() -> two.log().endOffset() > place);
        assertSame(two);
        assertSame(one);
        assertThat(master.damagedPlaces()).isZero();
    }

    @Test
    void whereNobodyHasItItStaysKnownUntilSomebodyComes() throws Exception {
        one.close();
        master.damage(place + 40);
        master.meetDamage(place);
        run(25_000);
        assertThat(master.damagedPlaces()).isEqualTo(1);
        one.openSlave();
        runUntil(() -> master.damagedPlaces() == 0);
        assertSame(one);
    }

    @Test
    void whatAnotherNodeHasDamagedTooIsNotTaken() throws Exception {
        byte[] sound = one.bytes();
        master.damage(place + 40);
        one.damage(place + 50);
        master.meetDamage(place);
        run(3_000);
        assertThat(master.damagedPlaces()).isEqualTo(1);
        assertThat(one.damagedPlaces()).as("asked for it, it met its own").isEqualTo(1);
        assertThat(master.bytes()).isNotEqualTo(sound);
    }
}
