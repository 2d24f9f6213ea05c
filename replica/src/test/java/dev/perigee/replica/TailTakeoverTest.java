package dev.perigee.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.fact.Fact.UnknownFact;
import dev.perigee.protocol.header.replica.FetchedHeader;
import dev.perigee.protocol.header.replica.ForkAnswer;
import dev.perigee.protocol.header.replica.HelloHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.remoting.transport.Payload;
import dev.perigee.replica.follow.Confirmed;
import dev.perigee.replica.follow.ConfirmedFile;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FlushMode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** R10: a master that starts takes over what its replicas have beyond its own end, before it begins its epoch. */
class TailTakeoverTest {
    private static final long STEP_MS = SteppedReplicas.STEP_MS;
    /** Of a loss of power that leaves nothing of what was not forced. */
    private static final long SEED_THAT_LOSES_IT = 1;

    private final SteppedReplicas replicas = new SteppedReplicas(11);
    private final Random random = replicas.random;
    private final MemoryTransport network = replicas.network;
    private final ReplicaNode master = replicas.node(0);
    private final ReplicaNode one = replicas.node(1);
    private final ReplicaNode two = replicas.node(2);
    private final List<ReplicaNode> all = List.of(master, one, two);

    private void run(long ms) {
        replicas.run(ms);
    }

    private void runUntil(BooleanSupplier reached) {
        assertThat(replicas.runUntil(reached)).isTrue();
    }

    private void sendFor(long ms) {
        replicas.sendFor(ms, master, 1, 1_000);
    }

    private void openAll(boolean synchronous, ReplicaNode... slaves) throws Exception {
        master.openMaster(synchronous);
        for (ReplicaNode slave : slaves) {
            slave.openSlave();
        }
        run(3_000);
        sendFor(500);
        run(1_000);
    }

    /** Written and sent by the master, and forced by the slave that is stepped, but not by the master. */
    private void sendUnforced(ReplicaNode receiver, int messages) {
        for (int i = 0; i < messages; i++) {
            master.send(500);
        }
        for (int i = 0; i < 20; i++) {
            master.stepWithoutForcing();
            replicas.settle();
            receiver.step();
            replicas.settle();
        }
    }

    private int epochs(ReplicaNode node) {
        return node.log().extent().epochs().epochs().size();
    }

    private void assertSame(ReplicaNode... slaves) {
        for (ReplicaNode slave : slaves) {
            runUntil(() -> slave.log().endOffset() == master.log().endOffset()
                    && slave.log().confirmOffset() == master.log().confirmOffset());
            assertThat(slave.bytes()).isEqualTo(master.bytes());
        }
        all.forEach(node -> assertThat(node.faults).isEmpty());
    }

    /** What a loss of power leaves of the tail is drawn: with some seeds all, with some nothing. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whatAMasterLostComesBackFromItsSlave(long seed) throws Exception {
        random.setSeed(seed);
        boolean synchronous = seed % 2 == 0;
        openAll(synchronous, one);
        sendUnforced(one, 5);
        byte[] had = one.bytes();
        long end = one.log().endOffset();
        assertThat(master.log().syncedOffset()).isLessThan(end);
        master.crash();
        run(200);
        master.openMaster(synchronous);
        runUntil(() -> epochs(master) == 2);
        assertThat(Arrays.copyOf(master.bytes(), had.length)).isEqualTo(had);
        assertThat(master.log().extent().epochs().epochs().get(1).startOffset())
                .as("begins behind what was taken over")
                .isGreaterThanOrEqualTo(end);
        sendFor(1_000);
        assertSame(one);
    }

    /** Its whole last epoch was in the page cache: the slave's log goes on with an epoch that this one may not know any more. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void anEpochThatTheMasterLostAltogetherComesBackToo(long seed) throws Exception {
        random.setSeed(seed);
        master.flush = FlushMode.ASYNC;
        openAll(true, one);
        master.close();
        master.openMaster(true);
        for (int i = 0; i < 200 && epochs(one) < 2; i++) {
            master.stepWithoutForcing();
            replicas.settle();
            one.step();
            replicas.settle();
            replicas.pass();
        }
        sendUnforced(one, 3);
        long end = one.log().endOffset();
        assertThat(epochs(one)).isEqualTo(2);
        master.crash();
        master.openMaster(true);
        runUntil(() -> epochs(master) == 3);
        assertThat(master.log().extent().epochs().epochs().get(2).startOffset()).isGreaterThanOrEqualTo(end);
        assertSame(one);
    }

    @Test
    void aSynchronousMasterWaitsForWhomItsLogNames() throws Exception {
        openAll(true, one);
        one.crash();
        master.crash();
        master.openMaster(true);
        run(20_000);
        assertThat(epochs(master)).as("no epoch was begun").isEqualTo(1);
        assertThat(master.waits).hasSize(1);
        assertThat(master.waits.get(0)).contains("brokerId 1").contains("--accept-loss");
        master.results.clear();
        master.send(10);
        run(100);
        assertThat(master.results).containsExactly(AppendResult.NOT_WRITABLE);
        one.openSlave();
        runUntil(() -> epochs(master) == 2);
        assertSame(one);
    }

    /** R6: whose id has another folder now does not come again; a master that lost nothing goes on without it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aNodeWhoseIdAnotherFolderHasIsWaitedForOnlyByAMasterThatMayHaveLostSomething(boolean mayHaveLost)
            throws Exception {
        ReplicaNode wiped = new ReplicaNode(1, random, replicas.clock, network);
        master.flush = mayHaveLost ? FlushMode.ASYNC : FlushMode.SYNC;
        openAll(true, one);
        one.crash();
        master.crash();
        master.openMaster(true);
        wiped.openSlave();
        for (int i = 0; i < 300; i++) {
            wiped.step();
            run(STEP_MS);
        }
        assertThat(epochs(master)).isEqualTo(mayHaveLost ? 1 : 2);
        assertThat(wiped.isFollowing()).isEqualTo(!mayHaveLost);
        if (mayHaveLost) {
            wiped.close();
            one.openSlave();
            runUntil(() -> epochs(master) == 2);
            assertSame(one);
        }
    }

    /** R11: the slave was master meanwhile, so its other branch is what was acknowledged last. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMasterDoesNotBeginBesideAReplicaThatWasMasterSince(boolean synchronous) throws Exception {
        openAll(synchronous, one);
        one.close();
        sendFor(500); // only the master has this
        master.crash();
        one.acceptLoss = true;
        one.openMaster(false);
        run(4_000);
        for (int i = 0; i < 10; i++) {
            one.send(100);
            run(STEP_MS);
        }
        run(500);
        one.close();
        one.openSlave();
        byte[] had = one.bytes();
        master.openMaster(synchronous);
        run(10_000);
        assertThat(epochs(master)).isEqualTo(1);
        assertThat(master.waits).last().asString().contains("brokerId 1", "slave", "--accept-loss");
        assertThat(one.bytes()).isEqualTo(had);
    }

    /** R10: it was told that more is confirmed than it has, and nobody who comes has it. */
    @Test
    void aSynchronousMasterThatKnowsOfMoreThanItHasDoesNotBeginWithoutIt() throws Exception {
        master.flush = FlushMode.ASYNC;
        openAll(true, one);
        long end = master.log().endOffset();
        master.close();
        new ConfirmedFile(master.disk).write(one.log().logId(), new Confirmed(end + 5_000, 1, 1));
        master.openMaster(true);
        run(5_000);
        assertThat(epochs(master)).isEqualTo(1);
        assertThat(master.waits).last().asString().contains(Long.toString(end + 5_000), "--accept-loss");
        master.close();
        master.acceptLoss = true;
        master.openMaster(true);
        runUntil(() -> epochs(master) == 2);
        assertThat(ConfirmedFile.confirmedIn(master.disk).offset())
                .isLessThanOrEqualTo(master.log().endOffset());
    }

    @Test
    void withLossAcceptedASynchronousMasterWaitsABoundedTimeForThoseWhoMayStillCome() throws Exception {
        openAll(true, one);
        one.crash();
        master.crash();
        master.acceptLoss = true;
        master.openMaster(true);
        run(9_900);
        assertThat(epochs(master)).isEqualTo(1);
        run(300);
        assertThat(epochs(master)).isEqualTo(2);
        assertThat(master.waits).isEmpty();
    }

    /** It had to find its master first, or its attempts to connect were dropped. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSlaveThatComesAfterSecondsIsHeardByAMasterThatMayHaveLostSomethingOrAcceptsLoss(boolean acceptLoss)
            throws Exception {
        random.setSeed(SEED_THAT_LOSES_IT);
        master.flush = FlushMode.ASYNC;
        openAll(acceptLoss, one);
        sendUnforced(one, 5);
        byte[] had = one.bytes();
        one.close();
        master.crash();
        master.acceptLoss = acceptLoss;
        master.openMaster(acceptLoss);
        assertThat(master.log().endOffset()).isLessThan(had.length);
        run(6_000);
        assertThat(epochs(master)).isEqualTo(1);
        one.openSlave();
        runUntil(() -> epochs(master) == 2);
        assertThat(Arrays.copyOf(master.bytes(), had.length)).isEqualTo(had);
        assertSame(one);
    }

    @Test
    void anAsynchronousMasterWaitsABoundedTime() throws Exception {
        openAll(false, one);
        one.crash();
        master.crash();
        master.openMaster(false);
        run(2_900);
        assertThat(epochs(master)).isEqualTo(1);
        run(300);
        assertThat(epochs(master)).isEqualTo(2);
        one.openSlave();
        assertSame(one);
    }

    @Test
    void aMasterWhoseLogNamesNobodyBeginsAtOnce() throws Exception {
        master.openMaster(true);
        run(500);
        master.crash();
        master.openMaster(true);
        run(50);
        assertThat(epochs(master)).isEqualTo(2);
    }

    @Test
    void theMostAdvancedOfTwoIsTakenOver() throws Exception {
        openAll(true, one, two);
        sendUnforced(two, 4);
        sendUnforced(one, 4);
        long least = two.log().endOffset();
        long most = one.log().endOffset();
        assertThat(most).isGreaterThan(least);
        byte[] had = one.bytes();
        master.crash();
        master.openMaster(true);
        runUntil(() -> epochs(master) == 2);
        assertThat(Arrays.copyOf(master.bytes(), had.length)).isEqualTo(had);
        assertSame(one, two);
    }

    /** The connection breaks while the tail is read: what was taken is kept, and the rest is asked for again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTailIsTakenOverThoughTheConnectionBreaksAgainAndAgain(boolean synchronous) throws Exception {
        openAll(synchronous, one);
        for (int i = 0; i < 40; i++) {
            sendUnforced(one, 20);
        }
        long end = one.log().endOffset();
        byte[] had = one.bytes();
        master.crash();
        master.openMaster(synchronous);
        for (int i = 0; i < 25; i++) { // for longer than a master waits that does not insist
            for (int step = 0; step < 30; step++) {
                network.step();
            }
            while (network.openConnections() > 0) {
                network.breakConnection(0);
            }
            run(500);
        }
        runUntil(() -> epochs(master) == 2);
        assertThat(master.log().endOffset()).isGreaterThanOrEqualTo(end);
        assertThat(Arrays.copyOf(master.bytes(), had.length)).isEqualTo(had);
        assertSame(one);
    }

    /** R6: nobody but the slave knows of what was acknowledged when the NameServers' tables are empty as well. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMasterWhoseDiskWasEmptiedBeginsNoLogBesideASlaveThatHasOne(boolean synchronous) throws Exception {
        openAll(synchronous, one);
        master.crash();
        ReplicaNode emptied = replicas.node(0);
        emptied.awaitsLogs = true;
        byte[] had = one.bytes();
        emptied.openMaster(synchronous);
        run(20_000);
        assertThat(epochs(emptied)).isZero();
        String logId = Long.toHexString(one.log().logId());
        assertThat(emptied.waits).hasSize(1);
        assertThat(emptied.waits.get(0)).contains("folder is empty", "brokerId 1", logId, "" + had.length);
        assertThat(one.seen.exists(KeptRefusal.FILE))
                .as("it is the one that is right")
                .isFalse();
        one.close();
        run(10_000);
        assertThat(epochs(emptied)).as("also when that one is gone again").isZero();
        emptied.close();
        emptied.acceptLoss = true;
        emptied.openMaster(synchronous);
        runUntil(() -> epochs(emptied) == 1);
        one.openSlave();
        run(3_000);
        assertThat(one.bytes()).isEqualTo(had);
        assertThat(one.seen.exists(KeptRefusal.FILE)).isTrue();
    }

    @Test
    void aNewPairBeginsItsLogAfterAMomentAndItsMasterAtOnceTheNextTime() throws Exception {
        master.awaitsLogs = true;
        one.openSlave();
        master.openMaster(false);
        long beganMs = replicas.passedMs();
        runUntil(() -> epochs(master) == 1);
        assertThat(replicas.passedMs() - beganMs).isLessThan(4_000);
        assertSame(one);
        master.close();
        one.close();
        run(100);
        master.openMaster(false);
        run(2 * STEP_MS);
        assertThat(epochs(master)).isEqualTo(2);
    }

    /** R6: which of the two has what was acknowledged their ids do not say. */
    @Test
    void ofAReplicaAndOneOverACopyOfItsFolderTheOneThatHasMoreIsTakenFrom() throws Exception {
        openAll(true, one);
        one.close();
        ReplicaNode copy = new ReplicaNode(1, random, replicas.clock, network);
        copy.disk.putAll(one.disk);
        one.openSlave();
        sendFor(500);
        runUntil(() -> one.log().endOffset() == master.log().endOffset());
        sendUnforced(one, 40);
        byte[] had = one.bytes();
        long end = one.log().endOffset();
        master.crash();
        one.kill();
        master.openMaster(true);
        assertThat(master.log().endOffset()).as("something was lost").isLessThan(end);
        one.openSlave();
        copy.openSlave();
        for (int i = 0; i < 3_000 && epochs(master) < 2; i++) {
            copy.step();
            run(STEP_MS);
        }
        assertThat(Arrays.copyOf(master.bytes(), had.length)).isEqualTo(had);
        copy.close();
        assertSame(one);
    }

    /** Its machine is there again while the master still waits for an answer over the connection that it had before. */
    @Test
    void aReplicaThatComesAgainWhileItIsReadFromIsReadFromOverItsNewConnection() throws Exception {
        openAll(true, one);
        sendUnforced(one, 40);
        byte[] had = one.bytes();
        HelloHeader hello = one.hello(4_711);
        ForkAnswer fork = one.fork(1);
        one.close();
        master.crash();
        master.openMaster(true);
        assertThat(master.log().endOffset()).as("something was lost").isLessThan(had.length);
        AtomicBoolean isReadFrom = new AtomicBoolean();
        try (RemotingClient before = new RemotingClient(ClientConfig.DEFAULT, network, replicas.clock)) {
            before.onRequest(HandlerTable.builder()
                    .on(Rpcs.REPLICA_FORK, (request, reply) -> reply.ok(fork))
                    .on(Rpcs.REPLICA_TAIL, (request, reply) -> isReadFrom.set(true)) // and never answers
                    .build());
            CompletableFuture<?> greeted = before.call(
                    "127.0.0.1:" + ReplicaNode.MASTER_PORT,
                    Rpcs.REPLICA_HELLO,
                    hello,
                    null,
                    Deadline.after(replicas.clock, 60_000));
            runUntil(isReadFrom::get);
            assertThat(greeted).isCompleted();
            one.openSlave();
            runUntil(() -> epochs(master) == 2);
        }
        assertThat(Arrays.copyOf(master.bytes(), had.length)).isEqualTo(had);
        assertSame(one);
    }

    /** R22: nobody leads who would decide against what he does not understand. */
    @Test
    void aMasterDoesNotBeginBesideAReplicaThatHasAFactOfALaterRelease() throws Exception {
        openAll(true, one);
        long end = one.log().endOffset();
        HelloHeader hello = one.hello(4_711);
        ForkAnswer fork = one.fork(1);
        one.close();
        run(100);
        master.store().facts().append(new UnknownFact("POP_TAKEN", true, "{}"), (result, factEnd) -> {});
        master.stepLog();
        byte[] longer = master.bytes();
        assertThat(longer.length).isGreaterThan((int) end);
        random.setSeed(SEED_THAT_LOSES_IT);
        master.crash();
        master.openMaster(true);
        assertThat(master.log().endOffset()).as("it was lost").isEqualTo(end);
        try (RemotingClient later = new RemotingClient(ClientConfig.DEFAULT, network, replicas.clock)) {
            later.onRequest(HandlerTable.builder()
                    .on(
                            Rpcs.REPLICA_FORK,
                            (request, reply) -> reply.ok(new ForkAnswer(fork.epoch(), fork.epochId(), longer.length)))
                    .on(Rpcs.REPLICA_TAIL, (request, reply) -> {
                        long from = request.header().endOffset();
                        reply.ok(
                                new FetchedHeader(4_711, fork.epoch(), fork.epoch(), from, end),
                                Payload.of(Arrays.copyOfRange(longer, (int) from, longer.length)));
                    })
                    .build());
            CompletableFuture<?> greeted = later.call(
                    "127.0.0.1:" + ReplicaNode.MASTER_PORT,
                    Rpcs.REPLICA_HELLO,
                    withEnd(hello, longer.length),
                    null,
                    Deadline.after(replicas.clock, 60_000));
            runUntil(() -> master.waits.stream().anyMatch(line -> line.contains("what a later release wrote")));
            run(5_000);
            assertThat(greeted).isCompleted();
        }
        assertThat(master.waits)
                .last()
                .asString()
                .contains("brokerId 1")
                .contains("offset " + end)
                .contains("kind 'POP_TAKEN' that must be understood");
        assertThat(epochs(master)).as("no epoch was begun").isEqualTo(1);
        assertThat(master.log().endOffset()).isEqualTo(end);
    }

    private static HelloHeader withEnd(HelloHeader hello, long endOffset) {
        return new HelloHeader(
                hello.clusterName(),
                hello.brokerName(),
                hello.brokerId(),
                hello.nodeId(),
                hello.logId(),
                hello.lastEpoch(),
                hello.lastEpochId(),
                hello.startOffset(),
                endOffset,
                hello.confirmOffset(),
                hello.format(),
                hello.featureLevel(),
                hello.session(),
                hello.run(),
                hello.windowBytes(),
                hello.restoring());
    }

    /** Both lose power at once: what was acknowledged is on both disks, and nothing else is promised. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whatWasAcknowledgedOutlivesALossOfPowerOfBoth(long seed) throws Exception {
        random.setSeed(seed);
        openAll(true, one);
        for (int round = 0; round < 3; round++) {
            sendFor(200 + random.nextInt(500));
            for (int i = 0; i < 3; i++) {
                master.send(300);
                master.stepLog();
                for (int step = random.nextInt(20); step > 0; step--) {
                    network.step();
                }
                one.step();
            }
            master.crash();
            one.crash();
            if (random.nextBoolean()) {
                one.openSlave();
                run(random.nextInt(2_000));
                master.openMaster(true);
            } else {
                master.openMaster(true);
                run(random.nextInt(2_000));
                one.openSlave();
            }
        }
        sendFor(500);
        assertSame(one);
        assertThat(master.acknowledged).isNotEmpty();
        String log = new String(one.bytes(), StandardCharsets.ISO_8859_1);
        master.acknowledged.forEach((offset, body) ->
                assertThat(log.indexOf(body, offset.intValue())).isBetween(offset.intValue(), offset.intValue() + 200));
    }

    /** R5: it does not stand for election, so to say; what it lacks only its former master has. */
    @Test
    void aSlaveThatMayHaveForgottenBytesDoesNotBeginAsASynchronousMaster() throws Exception {
        one.flush = FlushMode.ASYNC;
        openAll(true, one);
        one.crash();
        master.crash();
        one.openMaster(true);
        run(5_000);
        assertThat(epochs(one)).isEqualTo(1);
        assertThat(one.waits).last().asString().contains("may have lost", "slave", "--accept-loss");
        one.crash();
        one.openMaster(true);
        run(5_000);
        assertThat(epochs(one)).as("it still knows, after another start").isEqualTo(1);
        one.close();
        one.acceptLoss = true;
        one.openMaster(true);
        runUntil(() -> epochs(one) == 2);
        run(1_000);
        one.close();
        one.acceptLoss = false;
        one.openMaster(true);
        runUntil(() -> epochs(one) == 3);
    }

    @Test
    void aSlaveThatWasKilledBeginsAsASynchronousMaster() throws Exception {
        one.flush = FlushMode.ASYNC;
        openAll(true, one);
        one.kill();
        master.crash();
        one.openMaster(true);
        runUntil(() -> epochs(one) == 2);
        assertThat(one.waits).isEmpty();
    }

    /** R11: what the former master acknowledged may be with the other slave alone, whatever role this one has now. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPromotedSlaveWaitsForTheOtherOneThatItsLogNames(boolean synchronous) throws Exception {
        openAll(true, one, two);
        sendUnforced(two, 4);
        long most = two.log().endOffset();
        assertThat(most).isGreaterThan(one.log().endOffset());
        two.close();
        one.close();
        master.crash();
        one.openMaster(synchronous);
        run(5_000);
        assertThat(epochs(one)).isEqualTo(1);
        two.openSlave();
        runUntil(() -> epochs(one) == 2);
        assertThat(one.log().extent().epochs().epochs().get(1).startOffset()).isGreaterThanOrEqualTo(most);
    }

    /** The last fact names two alone, but until that counted, what was confirmed was so by the set before. */
    @Test
    void aMasterThatMayHaveLostItsEndAlsoGivesTimeToThoseWhoWereInTheSetBefore() throws Exception {
        master.flush = FlushMode.ASYNC;
        openAll(true, one, two);
        run(1_000);
        one.close();
        runUntil(() -> master.inSync().size() == 1);
        run(1_000);
        master.crash();
        master.openMaster(true);
        run(2_000);
        assertThat(epochs(master)).as("one may have more, and is not heard yet").isEqualTo(1);
        one.openSlave();
        runUntil(() -> epochs(master) == 2);
        assertThat(replicas.passedMs()).isPositive();
    }

    /** R11: the set that is named last may lack the most advanced one, which came when nobody could write that down any more. */
    @Test
    void aPromotedSlaveWaitsForOneThatIsKnownToHaveMoreThoughItsLogDoesNotNameIt() throws Exception {
        openAll(true, one);
        one.close();
        two.openSlave();
        runUntil(
                () -> two.isFollowing() && two.log().endOffset() == master.log().endOffset());
        sendFor(500);
        run(500);
        long most = two.log().endOffset();
        assertThat(most).isGreaterThan(0);
        two.close();
        master.crash();
        one.farther = List.of(2L);
        one.openMaster(true);
        run(5_000);
        assertThat(epochs(one)).isEqualTo(1);
        two.openSlave();
        runUntil(() -> epochs(one) == 2);
        assertThat(one.log().extent().epochs().epochs().get(1).startOffset()).isGreaterThanOrEqualTo(most);
    }
}
