package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Of the commits of a queue the last one of each second is in the log, and the last one of all before a clean stop. */
class CommitsAreLoggedTest {
    private final SteppedBroker.TurnedClock clock = new SteppedBroker.TurnedClock();
    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private final MemoryViewStores stores = new MemoryViewStores();
    private SteppedBroker node;

    @BeforeEach
    void aGroupWithALoggedOffset() throws Exception {
        node = new SteppedBroker(disk, stores, clock, 1);
        node.run(node.createTopic("T", 1));
        node.run(node.heartbeat("c"));
        for (int i = 0; i < 8; i++) {
            assertThat(node.run(node.send("m" + i)).code()).isZero();
        }
        node.pass(1_000);
        commit(1);
        node.settle();
    }

    private void commit(long offset) throws Exception {
        UpdateOffsetHeader header = new UpdateOffsetHeader("g", "T", 0, offset);
        assertThat(node.run(node.call(node.newClient(), Rpcs.UPDATE_CONSUMER_OFFSET, header, null))
                        .code())
                .isZero();
    }

    private long logEnd() {
        return node.broker.logEndOffset();
    }

    private long offset() throws Exception {
        return node.run(node.offset("T")).require().offset();
    }

    @Test
    void theCommitsOfASecondAreOneFact() throws Exception {
        node.pass(1_000);
        long before = logEnd();
        commit(2);
        node.settle();
        long oneFact = logEnd() - before;
        assertThat(oneFact).as("logged at once after a second without commits").isPositive();
        for (int offset = 3; offset < 8; offset++) {
            commit(offset);
            node.pass(100);
        }
        assertThat(logEnd()).as("half a second later").isEqualTo(before + oneFact);
        node.pass(500);
        assertThat(logEnd()).as("a second later").isEqualTo(before + 2 * oneFact);
        node.pass(60_000);
        assertThat(logEnd()).as("without any further commit").isEqualTo(before + 2 * oneFact);
    }

    @Test
    void aCommitOutlivesALossOfPowerASecondLater() throws Exception {
        commit(7);
        node.pass(1_000);
        disk.crash();
        stores.crash(new Random(1));
        node = new SteppedBroker(disk, stores, clock, 2);
        assertThat(offset()).isEqualTo(7);
    }

    @Test
    void aCommitOfTheLastMomentOutlivesACleanStop() throws Exception {
        commit(7);
        node.broker.close();
        node = new SteppedBroker(disk, stores, clock, 2);
        assertThat(offset()).isEqualTo(7);
    }
}
