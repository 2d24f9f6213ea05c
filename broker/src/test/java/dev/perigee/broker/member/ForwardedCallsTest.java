package dev.perigee.broker.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.remoting.transport.Payload;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests on their way from a member to the one that is said to lead, on a network in memory and a clock that the test turns. */
final class ForwardedCallsTest {
    private static final int MEMBER_PORT = 10_911;
    private static final int LEADER_PORT = 40_911;
    private static final int MOST_ROUNDS = 1_000;
    private static final int STEPS = 100_000;
    private static final long TURN_MS = 5;

    private final Clock clock = new Clock() {
        @Override
        public long wallMs() {
            return nowMs;
        }

        @Override
        public long monotonicNs() {
            return TimeUnit.MILLISECONDS.toNanos(nowMs);
        }
    };
    private final MemoryTransport network = new MemoryTransport(clock);
    private final RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, network, clock);
    private final ForwardedCalls forwarded = new ForwardedCalls(
            client, () -> Optional.of("127.0.0.1:" + LEADER_PORT), () -> woken = true, HandingMember.SELF, clock);
    private long nowMs = 1_000;
    private boolean woken;
    private int came;
    private boolean takes;

    @BeforeEach
    void open() throws Exception {
        serve(MEMBER_PORT, HandingMember.table(forwarded, Rpcs.LOCK_BATCH_MQ));
        serve(
                LEADER_PORT,
                HandlerTable.builder()
                        .on(Rpcs.LOCK_BATCH_MQ, (request, reply) -> {
                            came++;
                            if (takes) {
                                reply.ok(NoHeader.NONE);
                            } else {
                                reply.fail(ResponseCode.NOT_THE_LEADER, "not yet");
                            }
                        })
                        .build());
    }

    private void serve(int port, HandlerTable table) throws Exception {
        new RemotingServer(ServerConfig.of("127.0.0.1", port), table, network, clock).start();
    }

    private CompletableFuture<? extends Answer<?>> ask() {
        return client.call(
                "127.0.0.1:" + MEMBER_PORT,
                Rpcs.LOCK_BATCH_MQ,
                NoHeader.NONE,
                null,
                Deadline.after(clock, 2 * ForwardedCalls.KEPT_MS));
    }

    /** Does all there is to do at this instant. */
    private void settle() {
        for (int rounds = 0; rounds < MOST_ROUNDS; rounds++) {
            network.runUntilIdle(STEPS);
            boolean wasWoken = woken;
            woken = false;
            if (forwarded.doWork(nowMs) == 0 && !wasWoken && forwarded.nextDeadlineMs() > nowMs) {
                return;
            }
        }
        throw new AssertionError("it does not come to rest: asked " + came + " times at one instant");
    }

    @Test
    void whoDoesNotTakeARequestIsAskedAgainOnlyAfterAWhile() {
        CompletableFuture<? extends Answer<?>> asked = ask();
        settle();
        assertThat(came).isBetween(1, 2);
        for (int i = 0; i < 20; i++) {
            nowMs += TURN_MS;
            settle();
        }
        assertThat(came).as("within 100 ms").isBetween(4, 8);
        assertThat(asked).isNotDone();

        takes = true;
        nowMs += 4 * TURN_MS;
        settle();

        assertThat(asked).isCompleted();
        assertThat(asked.join().code()).isZero();
        assertThat(forwarded.count()).isZero();
    }

    @Test
    void whatIsNotTakenForTooLongIsAnsweredAsBusy() {
        CompletableFuture<? extends Answer<?>> asked = ask();
        settle();
        for (long passed = 0; passed <= ForwardedCalls.KEPT_MS + TURN_MS; passed += TURN_MS) {
            nowMs += TURN_MS;
            settle();
        }
        assertThat(asked).isCompleted();
        assertThat(asked.join().code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(forwarded.count()).isZero();
    }

    /** R6-36: the leader gives more than clients take. */
    @Test
    void atTheLimitOfAnswersThatAreNotSentOnPullsAreRefusedAsBusy() throws Exception {
        int answerBytes = 1_000;
        ForwardedCalls few = new ForwardedCalls(
                client,
                () -> Optional.of("127.0.0.1:" + (LEADER_PORT + 1)),
                () -> woken = true,
                HandingMember.SELF,
                clock,
                ForwardedCalls.MAX_BYTES,
                answerBytes);
        List<Payload> unsent = new ArrayList<>();
        List<Integer> codes = new ArrayList<>();
        List<String> remarks = new ArrayList<>();
        serve(
                LEADER_PORT + 1,
                HandlerTable.builder()
                        .on(
                                Rpcs.PULL_MESSAGE,
                                (request, reply) -> reply.send(
                                        0,
                                        null,
                                        new PullMessageResponse(0, 1, 0, 1, null, null, null, null),
                                        Payload.of(new byte[answerBytes])))
                        .build());
        serve(
                MEMBER_PORT + 2,
                HandlerTable.builder()
                        .on(
                                Rpcs.PULL_MESSAGE,
                                (request, reply) ->
                                        few.forward(Rpcs.PULL_MESSAGE, request, null, kept(unsent, codes, remarks)))
                        .build());
        pull();
        network.runUntilIdle(STEPS);
        few.doWork(nowMs);
        network.runUntilIdle(STEPS);
        assertThat(codes).as("so it is known who takes them").containsExactly(0);
        unsent.remove(0).release();
        codes.clear();
        remarks.clear();

        pull();
        pull();
        network.runUntilIdle(STEPS);
        assertThat(codes).as("both were on their way").containsExactly(0, ResponseCode.SYSTEM_BUSY);
        assertThat(remarks.get(1)).contains(answerBytes + " bytes, limit " + answerBytes);
        pull();
        network.runUntilIdle(STEPS);
        assertThat(codes).as("refused at once").containsExactly(0, ResponseCode.SYSTEM_BUSY, ResponseCode.SYSTEM_BUSY);

        unsent.get(0).release();
        assertThat(few.answerBytes()).isZero();
        pull();
        network.runUntilIdle(STEPS);
        assertThat(codes).hasSize(4).endsWith(0);
    }

    private void pull() {
        CompletableFuture<? extends Answer<?>> unused = client.call(
                "127.0.0.1:" + (MEMBER_PORT + 2),
                Rpcs.PULL_MESSAGE,
                new PullMessageHeader("g", "T", 0, 0, 32, 2, 0, 0, "*", 0, "TAG", 0, 0, null, null),
                null,
                Deadline.after(clock, ForwardedCalls.KEPT_MS));
    }

    /** The way back to a client that takes nothing yet. */
    private static Reply<PullMessageResponse> kept(List<Payload> unsent, List<Integer> codes, List<String> remarks) {
        return new Reply<>() {
            @Override
            public void send(
                    int code, @Nullable String remark, @Nullable PullMessageResponse header, @Nullable Payload body) {
                codes.add(code);
                remarks.add(String.valueOf(remark));
                if (body != null) {
                    unsent.add(body);
                }
            }

            @Override
            public void failed(RuntimeException cause) {
                throw cause;
            }

            @Override
            public void resume(Runnable step) {
                step.run();
            }
        };
    }

    /** R7-04: what comes at full speed while another one is elected. */
    @Test
    void aWholeElectionsSendsAreKeptAndThenTaken() throws Exception {
        int sends = 20_000;
        serve(
                LEADER_PORT + 2,
                HandlerTable.builder()
                        .on(
                                Rpcs.SEND_MESSAGE_V2,
                                (request, reply) ->
                                        reply.ok(new SendMessageResponse("id", 0, 0, null, null, null, null, null)))
                        .build());
        String[] leader = {""};
        ForwardedCalls many = new ForwardedCalls(
                client,
                () -> Optional.of(leader[0]).filter(address -> !address.isEmpty()),
                () -> {},
                HandingMember.SELF,
                clock);
        serve(MEMBER_PORT + 3, HandingMember.table(many, Rpcs.SEND_MESSAGE_V2));
        List<CompletableFuture<? extends Answer<?>>> sent = new ArrayList<>();
        for (int i = 0; i < sends; i++) {
            sent.add(client.call(
                    "127.0.0.1:" + (MEMBER_PORT + 3),
                    Rpcs.SEND_MESSAGE_V2,
                    HandingMember.SEND,
                    new byte[100],
                    Deadline.after(clock, 10 * ForwardedCalls.KEPT_MS)));
            if (i % 1_000 == 0) {
                network.runUntilIdle(STEPS);
            }
        }
        network.runUntilIdle(STEPS);
        assertThat(many.count()).isEqualTo(sends);
        assertThat(many.doWork(nowMs)).isZero();

        leader[0] = "127.0.0.1:" + (LEADER_PORT + 2);
        for (int i = 0; i < 100 && many.count() > 0; i++) {
            nowMs += TURN_MS;
            many.doWork(nowMs);
            network.runUntilIdle(STEPS);
        }
        assertThat(sent).allMatch(each -> each.isDone() && each.join().code() == 0);
    }

    @Test
    void oneThatIsAloneAlwaysFits() throws Exception {
        int limit = 10;
        ForwardedCalls small = new ForwardedCalls(
                client,
                () -> Optional.of("127.0.0.1:" + LEADER_PORT),
                () -> {},
                HandingMember.SELF,
                clock,
                limit,
                ForwardedCalls.MAX_ANSWER_BYTES);
        serve(MEMBER_PORT + 5, HandingMember.table(small, Rpcs.LOCK_BATCH_MQ));
        List<CompletableFuture<? extends Answer<?>>> asked = new ArrayList<>();
        takes = true;
        for (int i = 0; i < 2; i++) { // the first is not on its way yet
            asked.add(client.call(
                    "127.0.0.1:" + (MEMBER_PORT + 5),
                    Rpcs.LOCK_BATCH_MQ,
                    NoHeader.NONE,
                    new byte[limit + 1],
                    Deadline.after(clock, 2 * ForwardedCalls.KEPT_MS)));
        }
        network.runUntilIdle(STEPS);
        small.doWork(nowMs);
        network.runUntilIdle(STEPS);
        assertThat(asked).allMatch(CompletableFuture::isDone);
        assertThat(asked.stream().map(each -> each.join().code()))
                .as("the first, whichever that is, and the other one")
                .containsExactlyInAnyOrder(0, ResponseCode.SYSTEM_BUSY);
        assertThat(asked.stream().map(each -> each.join().remarkText()))
                .anyMatch(remark -> remark.contains(limit + " bytes"));
    }

    /** R8-03: properties of a message are in its header. */
    @Test
    void aLongHeaderTakesRoomAsABodyDoes() throws Exception {
        int limit = 10_000;
        ForwardedCalls small = new ForwardedCalls(
                client, Optional::empty, () -> {}, HandingMember.SELF, clock, limit, ForwardedCalls.MAX_ANSWER_BYTES);
        serve(MEMBER_PORT + 6, HandingMember.table(small, Rpcs.PULL_MESSAGE));
        List<CompletableFuture<? extends Answer<?>>> asked = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            asked.add(client.call(
                    "127.0.0.1:" + (MEMBER_PORT + 6),
                    Rpcs.PULL_MESSAGE,
                    new PullMessageHeader("g", "T", 0, 0, 32, 2, 0, 0, "x".repeat(limit), 0, "TAG", 0, 0, null, null),
                    null,
                    Deadline.after(clock, 2 * ForwardedCalls.KEPT_MS)));
        }
        network.runUntilIdle(STEPS);

        assertThat(asked)
                .filteredOn(CompletableFuture::isDone)
                .singleElement()
                .satisfies(refused -> assertThat(refused.join().remarkText()).contains(limit + " bytes"));
    }

    /** R7-07: it stands still, and another one leads by now. */
    @Test
    void whatIsOnItsWayToAFormerLeaderThatDoesNotAnswerIsAskedOfTheNextOrGivenUp() throws Exception {
        String silent = "127.0.0.1:" + (LEADER_PORT + 3);
        List<Reply<?>> open = new ArrayList<>();
        serve(
                LEADER_PORT + 3,
                HandlerTable.builder()
                        .on(Rpcs.LOCK_BATCH_MQ, (request, reply) -> open.add(reply))
                        .on(Rpcs.SEND_MESSAGE_V2, (request, reply) -> open.add(reply))
                        .on(Rpcs.UPDATE_CONSUMER_OFFSET, (request, reply) -> open.add(reply))
                        .build());
        String[] leader = {silent};
        ForwardedCalls calls =
                new ForwardedCalls(client, () -> Optional.of(leader[0]), () -> {}, HandingMember.SELF, clock);
        serve(
                MEMBER_PORT + 4,
                HandingMember.table(calls, Rpcs.LOCK_BATCH_MQ, Rpcs.SEND_MESSAGE_V2, Rpcs.UPDATE_CONSUMER_OFFSET));
        String member = "127.0.0.1:" + (MEMBER_PORT + 4);
        Deadline late = Deadline.after(clock, 2 * ForwardedCalls.CALL_MS);
        CompletableFuture<? extends Answer<?>> lock =
                client.call(member, Rpcs.LOCK_BATCH_MQ, NoHeader.NONE, null, late);
        CompletableFuture<? extends Answer<?>> send =
                client.call(member, Rpcs.SEND_MESSAGE_V2, HandingMember.SEND, new byte[] {1}, late);
        CompletableFuture<? extends Answer<?>> commit =
                client.call(member, Rpcs.UPDATE_CONSUMER_OFFSET, new UpdateOffsetHeader("g", "T", 0, 1), null, late);
        network.runUntilIdle(STEPS);
        for (int i = 0; i < 10 && open.size() < 3; i++) {
            calls.doWork(nowMs);
            network.runUntilIdle(STEPS);
            nowMs += KeptCalls.AGAIN_MS;
        }
        assertThat(open).hasSize(3);

        takes = true;
        leader[0] = "127.0.0.1:" + LEADER_PORT;
        nowMs += ForwardedFlights.SILENT_MS / 2;
        calls.doWork(nowMs);
        network.runUntilIdle(STEPS);
        assertThat(lock)
                .as("the former leader may answer yet, as after a planned transfer")
                .isNotDone();
        nowMs += ForwardedFlights.SILENT_MS;
        calls.doWork(nowMs);
        network.runUntilIdle(STEPS);

        assertThat(lock).isCompleted();
        assertThat(lock.join().code()).as("the next one was asked").isZero();
        assertThat(send).isCompleted();
        assertThat(send.join().code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
        assertThat(commit).isCompleted();
        assertThat(commit.join().code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(calls.count()).isZero();
    }

    /** Busy says that nothing was stored, and nobody knows that. */
    @Test
    void ofASendWhoseConnectionEndsNobodyIsToldThatItWasNotStored() throws Exception {
        List<Reply<?>> open = new ArrayList<>();
        serve(MEMBER_PORT + 1, HandingMember.table(forwarded, Rpcs.SEND_MESSAGE_V2));
        network.unplug(LEADER_PORT);
        serve(
                LEADER_PORT,
                HandlerTable.builder()
                        .on(Rpcs.SEND_MESSAGE_V2, (request, reply) -> open.add(reply))
                        .build());
        CompletableFuture<? extends Answer<?>> sent = client.call(
                "127.0.0.1:" + (MEMBER_PORT + 1),
                Rpcs.SEND_MESSAGE_V2,
                HandingMember.SEND,
                new byte[] {1},
                Deadline.after(clock, 2 * ForwardedCalls.KEPT_MS));
        settle();
        assertThat(open).as("on its way").hasSize(1);

        network.breakConnectionsTo(LEADER_PORT);
        settle();

        assertThat(sent).isCompleted();
        assertThat(sent.join().code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
        assertThat(sent.join().remarkText()).contains("n1", "does not know");
        assertThat(forwarded.count()).isZero();
    }
}
