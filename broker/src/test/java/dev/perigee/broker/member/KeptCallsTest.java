package dev.perigee.broker.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.offset.OffsetResponse;
import dev.perigee.protocol.header.offset.QueueHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.ManualClock;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.memory.MemoryTransport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a leader is sent that says no, or nothing, and what becomes of the rest; on a network in memory and a clock that the test turns. */
final class KeptCallsTest {
    private static final int MEMBER_PORT = 10_911;
    private static final int FIRST = 40_911;
    private static final int SECOND = 40_912;
    private static final int STEPS = 1_000_000;
    private static final int MANY = 3_000;
    private static final long TURN_MS = 5;
    private static final int FRAME_LIMIT = 2_000;
    private static final long LATE_MS = 10 * ForwardedCalls.ENDS_MS;

    private final ManualClock clock = new ManualClock();
    private final MemoryTransport network = new MemoryTransport(clock);
    private final RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, network, clock);
    private final RemotingClient between = new RemotingClient(
            new ClientConfig(
                    ClientConfig.DEFAULT.connectTimeoutMs(),
                    ClientConfig.DEFAULT.tls(),
                    ClientConfig.DEFAULT.serialization(),
                    ClientConfig.DEFAULT.limits().withFrameLimitBytes(FRAME_LIMIT)),
            network,
            clock);
    private int leader = FIRST;
    private final ForwardedCalls forwarded =
            new ForwardedCalls(between, this::leader, () -> {}, HandingMember.SELF, clock);
    private final List<Reply<?>> open = new ArrayList<>();
    private int came;
    private boolean takes;
    /** How often the leader is asked for until this member stands still for longer than it keeps anything. */
    private int asksUntilStill = -1;

    @BeforeEach
    void open() throws Exception {
        serve(
                MEMBER_PORT,
                HandingMember.table(forwarded, Rpcs.LOCK_BATCH_MQ, Rpcs.GET_MIN_OFFSET, Rpcs.SEND_MESSAGE_V2));
    }

    private Optional<String> leader() {
        if (asksUntilStill-- == 0) {
            clock.advanceMs(ForwardedCalls.KEPT_MS);
        }
        return Optional.of(address(leader));
    }

    private static String address(int port) {
        return "127.0.0.1:" + port;
    }

    private void serve(int port, HandlerTable table) throws Exception {
        new RemotingServer(ServerConfig.of("127.0.0.1", port), table, network, clock).start();
    }

    /** One that says no to writes until it takes them, and answers what is read. */
    private void serveReads(int port) throws Exception {
        serve(
                port,
                HandlerTable.builder()
                        .on(Rpcs.SEND_MESSAGE_V2, (request, reply) -> {
                            came++;
                            if (takes) {
                                reply.ok(new SendMessageResponse("id", 0, 0, null, null, null, null, null));
                            } else {
                                reply.fail(ResponseCode.NOT_THE_LEADER, "not yet");
                            }
                        })
                        .on(Rpcs.GET_MIN_OFFSET, (request, reply) -> reply.ok(new OffsetResponse(7L)))
                        .build());
    }

    private void serveSilence(int port) throws Exception {
        serve(
                port,
                HandlerTable.builder()
                        .on(Rpcs.SEND_MESSAGE_V2, (request, reply) -> open.add(reply))
                        .on(Rpcs.LOCK_BATCH_MQ, (request, reply) -> open.add(reply))
                        .build());
    }

    private <Q extends Record, R extends Record> CompletableFuture<Answer<R>> ask(
            Rpc<Q, R> rpc, Q header, byte @Nullable [] body) {
        return client.call(address(MEMBER_PORT), rpc, header, body, Deadline.after(clock, LATE_MS));
    }

    private List<CompletableFuture<? extends Answer<?>>> sends(int count) {
        List<CompletableFuture<? extends Answer<?>>> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sent.add(ask(Rpcs.SEND_MESSAGE_V2, HandingMember.SEND, new byte[] {1}));
        }
        network.runUntilIdle(STEPS);
        return sent;
    }

    private void pass(long ms) {
        for (long passed = 0; passed < ms; passed += TURN_MS) {
            clock.advanceMs(TURN_MS);
            forwarded.doWork(clock.monotonicMs());
            network.runUntilIdle(STEPS);
        }
    }

    /** R8-07: it makes itself ready, and has no time for what it does not take yet. */
    @Test
    void aLeaderThatTakesNothingYetIsSentOneOfManyEachTimeAndAllAsSoonAsItTakesThat() throws Exception {
        serveReads(FIRST);
        List<CompletableFuture<? extends Answer<?>>> sent = sends(MANY);
        pass(20 * KeptCalls.AGAIN_MS);
        assertThat(came).isBetween(10, 25);
        assertThat(sent).noneMatch(CompletableFuture::isDone);

        takes = true;
        pass(2 * KeptCalls.AGAIN_MS);

        assertThat(sent).allMatch(each -> each.isDone() && each.join().code() == 0);
        assertThat(forwarded.count()).isZero();
    }

    @Test
    void whatIsReadDoesNotWaitForWritesThatAreNotTaken() throws Exception {
        serveReads(FIRST);
        List<CompletableFuture<? extends Answer<?>>> sent = sends(2);
        pass(2 * KeptCalls.AGAIN_MS);
        CompletableFuture<Answer<OffsetResponse>> read = ask(Rpcs.GET_MIN_OFFSET, new QueueHeader("T", 0), null);
        network.runUntilIdle(STEPS);
        pass(TURN_MS);

        assertThat(read).isCompleted();
        assertThat(read.join().code()).isZero();
        assertThat(sent).noneMatch(CompletableFuture::isDone);
    }

    /** As pulls that wait there: nobody says that the first was taken. */
    @Test
    void wholeLotsGoToALeaderThatSaysNothingForLong() throws Exception {
        serveSilence(FIRST);
        sends(MANY);

        pass(ForwardedCalls.KEPT_MS / 4);

        assertThat(open).hasSize(MANY);
    }

    /** R8-11: three tries of a producer are over within moments of the death of the leader. */
    @Test
    void aSendThatFoundNobodyThereIsKeptUntilSomebodyIs() throws Exception {
        List<CompletableFuture<? extends Answer<?>>> sent = sends(10);
        pass(ForwardedCalls.KEPT_MS / 2);
        assertThat(sent).noneMatch(CompletableFuture::isDone);

        takes = true;
        serveReads(FIRST);
        pass(2 * KeptCalls.AGAIN_MS);

        assertThat(sent).allMatch(each -> each.isDone() && each.join().code() == 0);
    }

    @Test
    void aSendThatFindsNobodyThereForTooLongIsAnsweredAsBusy() {
        List<CompletableFuture<? extends Answer<?>>> sent = sends(10);

        pass(ForwardedCalls.KEPT_MS + TURN_MS);

        assertThat(sent).allMatch(each -> each.isDone() && each.join().code() == ResponseCode.SYSTEM_BUSY);
        assertThat(forwarded.count()).isZero();
    }

    /** R10-04: what else is done in a pass of the view loop may have stood still. */
    @Test
    void whatWasKeptForTooLongIsNotSentByAPassThatBeganBefore() throws Exception {
        overdue(10);
    }

    /** R11-05: what a pass did not get to answer as overdue it sent. */
    @Test
    void whatWasKeptForTooLongIsNotSentWhereItIsMoreThanAPassAnswers() throws Exception {
        overdue(KeptCalls.MOST_A_PASS + 10);
    }

    /** R12-10: it may stand still while it sends. */
    @Test
    void whatWasKeptForTooLongIsNotSentWhereThePassStandsStill() throws Exception {
        takes = true;
        List<CompletableFuture<? extends Answer<?>>> sent = sends(10);
        serveReads(FIRST);
        while (came == 0) { // the one that finds out
            pass(TURN_MS);
        }
        List<CompletableFuture<? extends Answer<?>>> later = new ArrayList<>(sent);
        later.removeIf(CompletableFuture::isDone);
        int before = came;

        asksUntilStill = 3;
        forwarded.doWork(clock.monotonicMs());
        network.runUntilIdle(STEPS);

        assertThat(later).hasSizeGreaterThan(5).allMatch(CompletableFuture::isDone);
        assertThat(came - before).isEqualTo(3);
        assertThat(later)
                .filteredOn(each -> each.join().code() == ResponseCode.SYSTEM_BUSY)
                .hasSize(later.size() - 3);
    }

    private void overdue(int count) throws Exception {
        takes = true;
        List<CompletableFuture<? extends Answer<?>>> sent = sends(count);
        long beganMs = clock.monotonicMs();
        serveReads(FIRST);
        clock.advanceMs(LATE_MS / 2);

        for (int left = count; left > 0; left -= KeptCalls.MOST_A_PASS) {
            assertThat(forwarded.doWork(beganMs)).isLessThanOrEqualTo(KeptCalls.MOST_A_PASS);
            network.runUntilIdle(STEPS);
        }

        assertThat(came).isZero();
        assertThat(sent).allMatch(each -> each.isDone() && each.join().code() == ResponseCode.SYSTEM_BUSY);
    }

    @Test
    void whatDoesNotFitAFrameToTheLeaderIsRefusedAsNotSent() throws Exception {
        serveReads(FIRST);
        CompletableFuture<Answer<SendMessageResponse>> send =
                ask(Rpcs.SEND_MESSAGE_V2, HandingMember.SEND, new byte[FRAME_LIMIT]);
        CompletableFuture<Answer<NoHeader>> lock = ask(Rpcs.LOCK_BATCH_MQ, NoHeader.NONE, new byte[FRAME_LIMIT]);
        network.runUntilIdle(STEPS);
        pass(2 * KeptCalls.AGAIN_MS);

        assertThat(send).isCompleted();
        assertThat(send.join().code()).isEqualTo(ResponseCode.MESSAGE_ILLEGAL);
        assertThat(send.join().remarkText())
                .contains("nothing was done", "body of " + FRAME_LIMIT + " bytes", "limit " + FRAME_LIMIT);
        assertThat(lock).isCompleted();
        assertThat(lock.join().code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
        assertThat(forwarded.count()).isZero();
    }

    /** R8-12: while a call waits on a connection, its body is in memory. */
    @Test
    void whatIsGivenUpTakesRoomUntilNothingIsAwaitedThereAndTheConnectionEnds() throws Exception {
        serveSilence(FIRST);
        List<CompletableFuture<? extends Answer<?>>> early = sends(1);
        pass(TURN_MS);
        pass(ForwardedFlights.SILENT_MS / 2);
        List<CompletableFuture<? extends Answer<?>>> late = sends(1);
        pass(2 * KeptCalls.AGAIN_MS);
        assertThat(open).hasSize(2);

        leader = SECOND;
        pass(ForwardedFlights.SILENT_MS * 3 / 4);
        assertThat(early).allMatch(CompletableFuture::isDone);
        assertThat(late).noneMatch(CompletableFuture::isDone);
        assertThat(forwarded.count()).isEqualTo(2);

        pass(ForwardedFlights.SILENT_MS / 2);
        assertThat(late).allMatch(each -> each.isDone() && each.join().code() == ResponseCode.SYSTEM_ERROR);
        assertThat(between.connection(address(FIRST))).isEmpty();
        assertThat(forwarded.count()).isZero();
    }

    @Test
    void whatOneLeaderAfterTheOtherDoesNotAnswerHasOneEnd() throws Exception {
        serveSilence(FIRST);
        serveSilence(SECOND);
        long askedMs = clock.monotonicMs();
        CompletableFuture<Answer<NoHeader>> lock = ask(Rpcs.LOCK_BATCH_MQ, NoHeader.NONE, null);
        network.runUntilIdle(STEPS);
        for (int i = 0; i < 20 && !lock.isDone(); i++) {
            pass(ForwardedFlights.SILENT_MS + KeptCalls.AGAIN_MS);
            leader = leader == FIRST ? SECOND : FIRST;
        }

        assertThat(lock).isCompleted();
        assertThat(lock.join().code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(open.size()).as("asked again").isGreaterThan(2);
        assertThat(clock.monotonicMs() - askedMs)
                .isBetween(ForwardedCalls.CALL_MS, ForwardedCalls.ENDS_MS + 2 * ForwardedFlights.SILENT_MS);
    }
}
