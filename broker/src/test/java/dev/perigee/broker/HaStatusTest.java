package dev.perigee.broker;

import static dev.perigee.broker.SteppedPair.MASTER_PORT;
import static dev.perigee.broker.SteppedPair.SLAVE_PORT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.protocol.stats.HaStatus.FollowState;
import dev.perigee.protocol.stats.HaStatus.SlaveState;
import dev.perigee.remoting.call.Answer;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What tools are told of a pair (907). */
class HaStatusTest {
    private final SteppedPair pair = new SteppedPair();

    private HaStatus status(int port) throws Exception {
        return Json.read(
                pair.get(pair.call(port, Rpcs.GET_BROKER_HA_STATUS, NoHeader.NONE, null))
                        .body(),
                HaStatus.class);
    }

    @Test
    void aMasterTellsHowFarEachSlaveIsAndASlaveWhomItFollows() throws Exception {
        pair.startMaster(Map.of());
        pair.createTopic("T");
        HaStatus alone = status(MASTER_PORT);
        assertThat(alone.master()).isTrue();
        assertThat(alone.haConnectionInfo()).isEmpty();
        assertThat(alone.masterCommitLogMaxOffset()).isEqualTo(pair.master().logEndOffset());
        pair.startSlave(Map.of());
        pair.level();
        pair.pass(2_000);
        pair.sendMany("T", 50);
        pair.level();
        pair.pass(600);
        HaStatus master = status(MASTER_PORT);
        assertThat(master.inSyncSlaveNums()).isEqualTo(1);
        assertThat(master.inSync()).containsExactly(1L);
        SlaveState slave = master.haConnectionInfo().get(0);
        assertThat(slave.brokerId()).isEqualTo(1);
        assertThat(slave.inSync()).isTrue();
        assertThat(slave.diff()).isZero();
        assertThat(slave.lagMs()).isZero();
        assertThat(slave.slaveAckOffset()).isEqualTo(pair.master().logEndOffset());
        assertThat(slave.addr()).contains(":");
        HaStatus follower = status(SLAVE_PORT);
        assertThat(follower.master()).isFalse();
        assertThat(follower.role()).isEqualTo("SLAVE");
        FollowState follows = follower.haClientRuntimeInfo();
        assertThat(follows.masterAddr()).isEqualTo("127.0.0.1:" + SteppedPair.HA_PORT);
        assertThat(follows.maxOffset()).isEqualTo(pair.slave().logEndOffset());
        assertThat(follows.masterFlushOffset()).isEqualTo(follows.maxOffset());
        assertThat(pair.clock.wallMs() - follows.lastReadTimestamp()).isBetween(0L, 600L);
        assertThat(pair.clock.wallMs() - follows.lastWriteTimestamp()).isBetween(0L, 600L);
        pair.stopMaster();
        pair.pass(10);
        assertThat(Objects.requireNonNull(
                        status(SLAVE_PORT).haClientRuntimeInfo().following()))
                .isFalse();
    }

    /** What the master says while the slave stands still. */
    private long lagMs() throws Exception {
        CompletableFuture<Answer<NoHeader>> asked =
                pair.call(MASTER_PORT, Rpcs.GET_BROKER_HA_STATUS, NoHeader.NONE, null);
        while (!asked.isDone()) {
            pair.passWithoutSlave(1);
        }
        HaStatus told = Json.read(asked.get().body(), HaStatus.class);
        return Objects.requireNonNull(told.haConnectionInfo().get(0).lagMs());
    }

    @Test
    void theLagOfASlaveIsTheAgeOfTheOldestMessageThatItDoesNotHold() throws Exception {
        pair.startMaster(Map.of());
        pair.createTopic("T");
        pair.startSlave(Map.of());
        pair.level();
        pair.pass(2_000);
        pair.passWithoutSlave(400); // it said nothing meanwhile, and missed nothing
        assertThat(lagMs()).isZero();
        assertThat(pair.sending("T", "first")).isNotDone();
        pair.passWithoutSlave(20);
        assertThat(lagMs()).isBetween(1L, 40L);
        pair.passWithoutSlave(200);
        assertThat(pair.sending("T", "second")).isNotDone();
        pair.passWithoutSlave(20);
        assertThat(lagMs()).isBetween(220L, 280L);
        pair.pass(1_000);
        assertThat(lagMs()).isZero();
    }
}
