package dev.perigee.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** R28: what rots in a log that is open comes again from another node, while the log goes on. */
class OpenLogRepairTest {
    private final SteppedReplicas replicas = new SteppedReplicas(5);
    private final ReplicaNode master = replicas.node(0);
    private final ReplicaNode one = replicas.node(1);
    private final ReplicaNode two = replicas.node(2);
    private long place;

    private void run(long ms) {
        replicas.run(ms);
    }

    private void runUntil(BooleanSupplier reached) {
        assertThat(replicas.runUntil(reached)).isTrue();
    }

    private void sendFor(long ms) {
        replicas.sendFor(ms, master, 1, 1_000);
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

    @Test
    void aPlaceThatNobodyHasKeepsNoOtherFromBeingMended() throws Exception {
        sendFor(200);
        long behind = master.log().endOffset();
        sendFor(1_000);
        runUntil(() -> one.log().confirmOffset() == master.log().endOffset());
        master.damage(place + 40);
        one.damage(place + 50);
        master.damage(behind + 40);
        master.meetDamage(place);
        master.meetDamage(behind);
        runUntil(() -> master.damagedPlaces() == 1);
        run(25_000);
        assertThat(master.damagedPlaces()).as("nobody has the first").isEqualTo(1);
        assertThat(behind(master.bytes(), behind)).isEqualTo(behind(one.bytes(), behind));
    }

    private static byte[] behind(byte[] log, long offset) {
        return Arrays.copyOfRange(log, (int) offset, log.length);
    }
}
