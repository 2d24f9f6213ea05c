package dev.perigee.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.fact.Fact.UnknownFact;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.recovery.CorruptLogException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A master and a replica, each with its whole store, over the network in memory: their logs become the same bytes. */
class ReplicaPairTest {
    private static final long STEP_MS = SteppedReplicas.STEP_MS;

    private final SteppedReplicas replicas = new SteppedReplicas(7);
    private final Random random = replicas.random;
    private final MemoryTransport network = replicas.network;
    private final ReplicaNode master = replicas.node(0);
    private final ReplicaNode slave = replicas.node(1);

    private void run(long ms) {
        replicas.run(ms);
    }

    private void runUntil(BooleanSupplier reached) {
        assertThat(replicas.runUntil(reached))
                .as(() -> "master " + master.log().endOffset() + " slave "
                        + slave.log().endOffset() + " of " + slave.faults)
                .isTrue();
    }

    private boolean areLevel() {
        long end = master.log().endOffset();
        return slave.log().endOffset() == end
                && master.log().confirmOffset() == end
                && slave.log().confirmOffset() == end;
    }

    private void sendFor(long ms, int perStep) {
        replicas.sendFor(ms, master, perStep, 2_000);
    }

    private void assertSame() {
        runUntil(this::areLevel);
        assertThat(slave.bytes()).isEqualTo(master.bytes());
        assertThat(slave.faults).isEmpty();
        assertThat(master.faults).isEmpty();
    }

    @Test
    void anEmptySlaveFillsItselfWhileSendsRun() throws Exception {
        master.openMaster(false);
        sendFor(500, 5);
        slave.openSlave();
        sendFor(2_000, 3);
        assertSame();
        assertThat(master.results).hasSize(250 + 600).containsOnly(AppendResult.APPENDED);
    }

    @Test
    void aSlaveIsFedWithWhatHasToComeFromTheDisk() throws Exception {
        master.cold = true;
        master.openMaster(true);
        sendFor(500, 5);
        slave.openSlave();
        sendFor(2_000, 3);
        assertSame();
        assertThat(master.results).last().isEqualTo(AppendResult.APPENDED);
    }

    /** R22: also over the connections that come after, and it takes nothing of what stands there. */
    @Test
    void aSlaveStopsAtAFactOfALaterReleaseAndSaysWhich() throws Exception {
        master.openMaster(false);
        slave.openSlave();
        sendFor(500, 2);
        runUntil(this::areLevel);
        long at = master.log().endOffset();
        master.store().facts().append(new UnknownFact("POP_TAKEN", true, "{}"), (result, end) -> {});
        for (int i = 0; i < 500; i++) {
            master.stepWithoutForcing(); // so that its own views, which know it no more, do not come to it
            replicas.settle();
            slave.step();
            replicas.settle();
            replicas.pass();
        }
        assertThat(master.log().endOffset()).isGreaterThan(at);
        assertThat(slave.log().endOffset()).isEqualTo(at);
        assertThat(slave.refusal())
                .hasValueSatisfying(why -> assertThat(why)
                        .contains("offset " + at)
                        .contains("this release knows facts up to level 1")
                        .contains("kind 'POP_TAKEN' that must be understood"));
        assertThat(slave.faults).isEmpty();
    }

    /** So that a master that stops in order leaves nothing that only it knows. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMasterKnowsWhenItsSlaveHasAllAndKnowsThatItIsConfirmed(boolean synchronous) throws Exception {
        master.openMaster(synchronous);
        slave.openSlave();
        runUntil(() -> !master.inSync().isEmpty());
        int level = 0;
        int behind = 0;
        for (int i = 0; i < 200; i++) {
            sendFor(i % 10 == 0 ? STEP_MS : 0, 1);
            run(STEP_MS);
            if (master.areSlavesLevel()) {
                level++;
                slave.step();
                assertThat(slave.log().endOffset()).isEqualTo(master.log().endOffset());
                assertThat(slave.log().confirmOffset()).isEqualTo(master.log().endOffset());
            } else {
                behind++;
            }
        }
        assertThat(level).isPositive();
        assertThat(behind).isPositive();
    }

    @Test
    void aSlaveThatWasClosedGoesOnWhereItsLogEnds() throws Exception {
        master.openMaster(false);
        slave.openSlave();
        sendFor(1_000, 2);
        slave.close();
        sendFor(1_000, 2);
        slave.openSlave();
        sendFor(1_000, 2);
        assertSame();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void bothGoOnAfterAMasterThatStarted(boolean clean) throws Exception {
        master.openMaster(false);
        slave.openSlave();
        sendFor(1_000, 2);
        run(500);
        if (clean) {
            master.close();
        } else {
            master.crash();
        }
        master.openMaster(false);
        sendFor(3_000, 2);
        assertSame();
        assertThat(slave.log().extent()).isEqualTo(master.log().extent());
        assertThat(slave.log().extent().epochs().epochs()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void aSlaveThatLosesPowerAgainAndAgainBecomesTheSame(long seed) throws Exception {
        random.setSeed(seed);
        master.openMaster(false);
        slave.openSlave();
        for (int i = 0; i < 8; i++) {
            sendFor(100 + random.nextInt(600), 2);
            slave.crash();
            sendFor(random.nextInt(300), 2);
            slave.openSlave();
        }
        assertSame();
    }

    /** Both with synchronous flush, the master waiting for the slave: whatever goes down, what was acknowledged is in both logs. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void whatWasAcknowledgedOutlivesLossesOfPowerOfEither(long seed) throws Exception {
        random.setSeed(seed);
        master.openMaster(true);
        slave.openSlave();
        for (int i = 0; i < 12; i++) {
            sendFor(500 + random.nextInt(2_000), 2);
            switch (random.nextInt(4)) {
                case 0 -> {
                    sendWithoutForcing();
                    master.crash();
                    run(random.nextInt(500));
                    master.openMaster(true);
                }
                case 1 -> {
                    slave.crash();
                    run(random.nextInt(500));
                    slave.openSlave();
                }
                case 2 -> breakConnections();
                default -> master.step(); // something more is written, and nothing sent
            }
        }
        assertSame();
        assertThat(master.acknowledged).isNotEmpty();
        String all = new String(slave.bytes(), StandardCharsets.ISO_8859_1);
        master.acknowledged.forEach((offset, body) ->
                assertThat(all.indexOf(body, offset.intValue())).isBetween(offset.intValue(), offset.intValue() + 200));
    }

    /** The slave gets what the master may lose. */
    private void sendWithoutForcing() {
        for (int i = 0; i < 5; i++) {
            master.send(500);
        }
        master.stepLog();
        replicas.settle();
        slave.step();
    }

    private void breakConnections() {
        while (network.openConnections() > 0) {
            network.breakConnection(0);
        }
    }

    @Test
    void aBrokenConnectionIsMadeAgain() throws Exception {
        master.openMaster(false);
        slave.openSlave();
        sendFor(500, 2);
        for (int i = 0; i < 5; i++) {
            network.breakConnection(0);
            sendFor(1_500, 1);
        }
        assertSame();
    }

    /** Both answer for what is written; what is written and confirmed now is on no disk, but that it is confirmed is. */
    private long confirmWithoutForcing() throws Exception {
        master.flush = FlushMode.ASYNC;
        slave.flush = FlushMode.ASYNC;
        master.openMaster(false);
        slave.openSlave();
        sendFor(500, 2);
        runUntil(this::areLevel);
        for (int i = 0; i < 100; i++) {
            master.send(500);
            master.stepWithoutForcing();
            replicas.settle();
            slave.stepWithoutForcing();
            replicas.settle();
            replicas.pass();
        }
        return slave.log().confirmOffset();
    }

    /** R10: the slave says what it was told and not what it has left of it. */
    @Test
    void aSlaveThatLostWhatWasConfirmedFollowsNobodyWhoLostItToo() throws Exception {
        long confirmed = confirmWithoutForcing();
        slave.crash();
        master.crash();
        master.openMaster(false);
        slave.openSlave();
        byte[] before = slave.bytes();
        assertThat(master.log().endOffset()).as("lost by the master").isLessThan(confirmed - 10_000);
        assertThat(slave.log().endOffset()).as("lost by the slave").isLessThan(confirmed - 10_000);
        run(3_000);
        assertThat(slave.isFollowing()).isFalse();
        sendFor(1_000, 2);
        assertThat(master.log().endOffset())
                .as("other bytes came to those offsets")
                .isGreaterThan(confirmed);
        run(3_000);
        assertThat(slave.isFollowing()).isFalse();
        assertThat(slave.bytes()).isEqualTo(before);
    }

    @Test
    void aSlaveThatLostWhatWasConfirmedGetsItFromAMasterThatHasIt() throws Exception {
        long confirmed = confirmWithoutForcing();
        slave.crash();
        slave.openSlave();
        assertThat(slave.log().endOffset()).as("lost by the slave").isLessThan(confirmed - 10_000);
        assertSame();
    }

    /** R28: below what is confirmed both logs are the same, so what the slave's disk has lost is the master's. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void aSlaveMendsWhatIsDamagedBelowItsConfirmOffsetWithWhatTheMasterHolds(long seed) throws Exception {
        random.setSeed(seed);
        master.openMaster(true);
        slave.openSlave();
        sendFor(1_500, 3);
        long confirmed = slave.log().confirmOffset();
        sendFor(1_500, 3);
        slave.crash();
        for (int i = 0; i < 5; i++) {
            slave.damage(confirmed - 1 - random.nextInt(100_000));
        }
        sendFor(200, 1);
        slave.openSlave();
        assertSame();
    }

    /** It is found only because the file is short: were it made long first, zeros would stand among what is confirmed. */
    @Test
    void aFileOfASlaveThatWasCutShortIsMendedToItsEndOrNotStartedOn() throws Exception {
        master.openMaster(true);
        slave.openSlave();
        sendFor(1_500, 3);
        run(1_000);
        slave.close(); // views are behind that file from now on, and a start does not walk through it
        slave.openSlave();
        sendFor(1_500, 3);
        slave.crash();
        master.close();
        slave.shorten(0, 40_000);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(slave::openSlave).isInstanceOf(CorruptLogException.class);
        }
        master.openMaster(true);
        run(100);
        slave.openSlave();
        assertSame();
    }

    /** R10: the master lost what was confirmed and went on otherwise; the slave's bytes are the only ones left. */
    @Test
    void aSlaveIsNotMendedFromAnotherBranchOfItsLog() throws Exception {
        master.flush = FlushMode.ASYNC;
        master.openMaster(false);
        slave.openSlave();
        sendFor(500, 2);
        runUntil(this::areLevel);
        for (int i = 0; i < 100; i++) {
            master.send(500);
            master.stepWithoutForcing();
            replicas.settle();
            slave.step();
            replicas.settle();
            replicas.pass();
        }
        long confirmed = slave.log().confirmOffset();
        slave.crash();
        master.crash();
        master.openMaster(false);
        long fork = master.log().endOffset();
        assertThat(fork).as("lost by the master").isLessThan(confirmed - 10_000);
        run(11_000); // it asks for the slave first, and gives it up
        sendFor(1_000, 3);
        assertThat(master.log().confirmOffset()).isGreaterThan(confirmed);
        slave.damage(fork + 8);
        assertThatThrownBy(slave::openSlave)
                .isInstanceOf(CorruptLogException.class)
                .satisfies(e -> assertThat(e.getSuppressed()[0]).hasMessageContaining("another branch of the log"));
    }

    @Test
    void aSlaveWithADamagedLogDoesNotStartWithoutItsMaster() throws Exception {
        master.openMaster(true);
        slave.openSlave();
        sendFor(1_500, 3);
        long confirmed = slave.log().confirmOffset();
        run(1_000);
        slave.crash();
        master.close();
        slave.damage(confirmed - 1);
        assertThatThrownBy(slave::openSlave)
                .isInstanceOf(CorruptLogException.class)
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        master.openMaster(true);
        run(100);
        slave.openSlave();
        assertSame();
    }

    /** R11: with a slave in sync a message is acknowledged when the slave has it on its disk, and not before. */
    @Test
    void aSynchronousMasterAcknowledgesWhatItsSlaveHas() throws Exception {
        master.openMaster(true);
        run(200);
        master.send(10);
        run(100);
        assertThat(master.results).containsExactly(AppendResult.SLAVE_NOT_AVAILABLE);
        slave.openSlave();
        runUntil(slave::isFollowing);
        run(1_000);
        master.results.clear();
        master.send(10);
        master.step();
        master.step();
        assertThat(master.results).as("the slave has nothing yet").isEmpty();
        run(100);
        assertThat(master.results).containsExactly(AppendResult.APPENDED);
        assertThat(slave.log().syncedOffset()).isEqualTo(master.log().endOffset());
    }

    /** The slave dies: first its silence is waited for, then the set shrinks, and the broker goes on without calling it acknowledged. */
    @Test
    void aSynchronousMasterGoesOnWithoutItsSlaveAndSaysSo() throws Exception {
        master.openMaster(true);
        slave.openSlave();
        run(3_000);
        master.send(10);
        run(100);
        assertThat(master.results).containsExactly(AppendResult.APPENDED);
        slave.crash();
        master.results.clear();
        master.send(10);
        run(3_500);
        assertThat(master.results).containsExactly(AppendResult.SLAVE_TIMEOUT);
        run(15_000);
        master.send(10);
        run(100);
        assertThat(master.results).containsExactly(AppendResult.SLAVE_TIMEOUT, AppendResult.SLAVE_NOT_AVAILABLE);
        slave.openSlave();
        assertSame();
        assertTheNextSendHasItsCopy();
    }

    /**
     * R11, over a start: what a replica in sync did not have when it was answered with 12 is not shown to consumers by a master
     * that starts, before the replica has it, or has been given up.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSynchronousMasterThatStartsShowsNothingThatItsSlaveHasNot(boolean clean) throws Exception {
        long unreplicated = endOfWhatTheSlaveHasNot();
        master.acceptLoss = true;
        restart(clean);
        run(14_000);
        assertThat(master.log().endOffset()).isGreaterThan(unreplicated);
        assertThat(master.log().confirmOffset()).isBetween(1L, unreplicated - 1);
        slave.openSlave();
        assertSame();
        assertTheNextSendHasItsCopy();
    }

    @Test
    void aSynchronousMasterThatStartsGivesUpASlaveThatStaysAway() throws Exception {
        long unreplicated = endOfWhatTheSlaveHasNot();
        master.acceptLoss = true;
        restart(false);
        run(21_000);
        assertThat(master.log().confirmOffset()).isLessThan(unreplicated);
        run(5_000);
        assertThat(master.log().confirmOffset()).isEqualTo(master.log().endOffset());
        master.acceptLoss = false;
        restart(true);
        run(500);
        assertThat(master.log().confirmOffset())
                .as("the log says now that nobody is in sync")
                .isEqualTo(master.log().endOffset());
    }

    /** A message that was answered with 12; where it ends. */
    private long endOfWhatTheSlaveHasNot() throws Exception {
        master.openMaster(true);
        slave.openSlave();
        run(3_000);
        master.send(10);
        run(1_000);
        assertThat(master.results).containsExactly(AppendResult.APPENDED);
        slave.crash();
        master.results.clear();
        master.send(10);
        run(3_500);
        assertThat(master.results).containsExactly(AppendResult.SLAVE_TIMEOUT);
        return master.log().endOffset();
    }

    private void restart(boolean clean) throws Exception {
        if (clean) {
            master.close();
        } else {
            master.crash();
        }
        master.openMaster(true);
    }

    @Test
    void anotherNodeWithTheIdOfASlaveThatIsThereIsRefused() throws Exception {
        ReplicaNode other = new ReplicaNode(1, random, replicas.clock, network);
        master.openMaster(false);
        slave.openSlave();
        run(500);
        assertThat(slave.isFollowing()).isTrue();
        other.openSlave();
        for (int i = 0; i < 50; i++) {
            other.step();
            run(STEP_MS);
        }
        assertThat(other.isFollowing()).isFalse();
        assertThat(other.log().endOffset()).isZero();
        assertThat(slave.isFollowing()).isTrue();
    }

    /** What a slave wrote as a master of its own is another log: nothing of it is cut. */
    @Test
    void aSlaveWithTheLogOfAnotherMasterKeepsItAndIsRefused() throws Exception {
        slave.openMaster(false);
        for (int i = 0; i < 20; i++) {
            slave.send(100);
            slave.step();
        }
        slave.close();
        master.openMaster(false);
        sendFor(100, 2);
        slave.openSlave();
        byte[] before = slave.bytes();
        run(3_000);
        assertThat(slave.isFollowing()).isFalse();
        assertThat(slave.bytes()).isEqualTo(before);
    }

    /** R5: what such a replica holds counts for nothing before it has all that the master had at its hello, durably. */
    @Test
    void aSlaveThatMayHaveForgottenBytesCountsForNothingUntilItHasThemAgain() throws Exception {
        slave.flush = FlushMode.ASYNC;
        master.openMaster(true);
        slave.openSlave();
        assertThat(slave.notYet()).as("it began empty").isPresent();
        runUntil(() -> !master.inSync().isEmpty());
        sendFor(500, 2);
        slave.crash();
        slave.openSlave();
        run(STEP_MS);
        runUntil(slave::isFollowing);
        runUntil(() -> master.inSync().isEmpty());
        assertThat(slave.notYet()).hasValueSatisfying(why -> assertThat(why).contains("may have lost"));
        master.results.clear();
        master.send(100);
        runUntil(() -> !master.results.isEmpty());
        assertThat(master.results).containsExactly(AppendResult.SLAVE_NOT_AVAILABLE);
        runUntil(() -> !master.inSync().isEmpty());
        assertThat(slave.notYet()).isEmpty();
        master.results.clear();
        sendFor(100, 2);
        assertSame();
        assertThat(master.results).containsOnly(AppendResult.APPENDED);
        slave.close();
        slave.openSlave();
        assertThat(slave.notYet())
                .as("it was closed in order and has everything")
                .isEmpty();
    }

    @Test
    void aSlaveThatLostPowerWithoutItsMasterIsNotRead() throws Exception {
        slave.flush = FlushMode.ASYNC;
        master.openMaster(true);
        slave.openSlave();
        runUntil(() -> !master.inSync().isEmpty());
        sendFor(500, 2);
        master.crash();
        slave.crash();
        slave.openSlave();
        run(1_000);
        assertThat(slave.notYet()).hasValueSatisfying(why -> assertThat(why).contains("not heard"));
        slave.close();
        slave.openSlave();
        assertThat(slave.notYet()).as("a stop in order gives nothing back").isPresent();
        master.openMaster(true);
        runUntil(() -> !master.inSync().isEmpty());
        assertThat(slave.notYet()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSlaveThatWasAwayForTooLongFillsItselfAnewAndRemovesItsOldLogWhenItIsFull(boolean dies) throws Exception {
        master.openMaster(false);
        slave.openSlave();
        sendFor(1_000, 2);
        runUntil(this::areLevel);
        slave.close();
        long ended = master.log().endOffset();
        sendFor(2_000, 2);
        master.log().trimTo(master.log().nextSegmentStart(ended));
        assertThat(master.log().startOffset()).isGreaterThan(ended);
        slave.openSlave();
        runUntil(() -> slave.tooOld != null);
        assertThat(slave.tooOld)
                .contains(Long.toString(ended), Long.toString(master.log().startOffset()));
        assertThat(slave.log().endOffset())
                .as("nothing is given up before the next start")
                .isEqualTo(ended);
        if (dies) {
            slave.crash();
        } else {
            slave.close();
        }
        slave.openSlave();
        assertThat(slave.disk.list("old-log")).isNotEmpty();
        assertThat(slave.notYet()).isPresent();
        runUntil(() -> slave.notYet().isEmpty());
        runUntil(this::areLevel);
        run(5_000);
        assertSame();
        assertThat(slave.disk.list("old-log")).isEmpty();
        assertThat(slave.disk.exists("refilling")).isFalse();
    }

    private void assertTheNextSendHasItsCopy() {
        run(1_000);
        master.results.clear();
        master.send(10);
        run(100);
        assertThat(master.results).containsExactly(AppendResult.APPENDED);
    }
}
