package dev.perigee.remoting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.remoting.transport.Payload;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Deadlines, idle connections and ends, on one thread and a clock that is moved by hand. */
final class MemoryNetworkTest {
    private static final int MANY_STEPS = 100_000;

    private final ManualClock clock = new ManualClock();
    private final MemoryTransport transport = new MemoryTransport(clock);
    private final List<Reply<EchoHeader>> held = new ArrayList<>();
    private final RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, transport, clock);
    private RemotingServer server;

    @BeforeEach
    void open() throws Exception {
        server = server(0, ConnectionLimits.DEFAULT);
    }

    @Test
    void nothingMovesButByStepping() throws Exception {
        CompletableFuture<Answer<EchoHeader>> answer = call(Echo.ECHO, 1, 3_000);
        assertThat(answer).isNotDone();

        transport.runUntilIdle(MANY_STEPS);

        assertThat(answer.get().require()).isEqualTo(EchoHeader.of("memory", 1));
        assertThat(transport.step()).isFalse();
    }

    @Test
    void theSameCallsTakeTheSameSteps() throws Exception {
        int first = steps();
        int second = new MemoryNetworkTest().opened().steps();

        assertThat(first).isEqualTo(second).isPositive();
    }

    @Test
    void aCallWithoutAnswerFailsAtItsDeadlineAndItsLateAnswerIsCounted() {
        CompletableFuture<Answer<EchoHeader>> answer = call(Echo.OTHER, 1, 3_000);
        transport.runUntilIdle(MANY_STEPS);

        clock.advanceMs(2_999);
        transport.runUntilIdle(MANY_STEPS);
        assertThat(answer).isNotDone();

        clock.advanceMs(21);
        transport.runUntilIdle(MANY_STEPS);
        assertThatThrownBy(answer::get)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(RemotingException.CallTimeout.class)
                .hasMessageContaining("OTHER")
                .hasMessageContaining("127.0.0.1:" + server.boundPort())
                .hasMessageContaining("limit 3000 ms");

        held.get(0).ok(EchoHeader.of("late", 1));
        transport.runUntilIdle(MANY_STEPS);
        assertThat(client.counters().lateAnswers()).isEqualTo(1);
        assertThat(client.counters().timedOutCalls()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 19, 20, 21, 500, 10_220, 10_239, 10_240, 10_241, 30_000, 100_000})
    void aCallEndsAtItsDeadlineHoweverFarAway(long timeoutMs) {
        CompletableFuture<Answer<EchoHeader>> answer = call(Echo.OTHER, 1, timeoutMs);
        transport.runUntilIdle(MANY_STEPS);

        advanceInTicks(timeoutMs - 1);
        assertThat(answer).isNotDone();
        advanceInTicks(1 + 20);

        assertThat(answer).isCompletedExceptionally();
        assertThat(client.counters().timedOutCalls()).isEqualTo(1);
    }

    @Test
    void aLoopIsNotWokenBeforeADeadlineIsNear() {
        CompletableFuture<Answer<EchoHeader>> answer = call(Echo.OTHER, 1, 30_000);
        transport.runUntilIdle(MANY_STEPS);
        int steps = 0;
        for (int i = 0; i < 29_000 / 20; i++) {
            clock.advanceMs(20);
            steps += transport.runUntilIdle(MANY_STEPS);
        }

        assertThat(answer).isNotDone();
        assertThat(steps).isLessThan(10);
    }

    @Test
    void aJumpOfTheClockEndsAllCallsAtOnce() {
        List<CompletableFuture<Answer<EchoHeader>>> answers = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            answers.add(call(Echo.OTHER, i, 10 + 37L * i));
        }
        transport.runUntilIdle(MANY_STEPS);

        clock.advanceMs(3_600_000);
        transport.runUntilIdle(MANY_STEPS);

        assertThat(answers).allSatisfy(answer -> assertThat(answer).isCompletedExceptionally());
    }

    @Test
    void aDeadlineIsKeptWhileTheConnectionOpens() {
        CompletableFuture<Answer<EchoHeader>> answer = call(Echo.ECHO, 1, 100);
        clock.advanceMs(100);

        transport.step();

        assertThat(answer).isCompletedExceptionally();
    }

    @Test
    void aConnectionThatOpensTooLateIsThereForTheNextWhoAsks() throws Exception {
        CompletableFuture<Connection> tooLate = client.connect(address(), Deadline.after(clock, 100));
        clock.advanceMs(100);
        transport.step();
        assertThatThrownBy(tooLate::get)
                .cause()
                .isInstanceOf(RemotingException.ConnectFailed.class)
                .hasMessageContaining(address())
                .hasMessageContaining("not open after 100 ms");

        transport.runUntilIdle(MANY_STEPS);

        Connection open = client.connect(address(), Deadline.after(clock, 100)).get();
        clock.advanceMs(100);
        transport.runUntilIdle(MANY_STEPS);
        assertThat(open.isOpen()).isTrue();
        assertThat(client.connect(address()).get()).isSameAs(open);
    }

    @Test
    void aConnectionOnWhichNothingMovesIsClosed() throws Exception {
        assertThat(answered(Echo.ECHO)).isTrue();
        advanceInTicks(119_000);
        assertThat(answered(Echo.ECHO)).isTrue();
        advanceInTicks(119_000);
        assertThat(client.counters().openConnections()).isEqualTo(1);

        advanceInTicks(2_000);

        assertThat(client.counters().openConnections()).isZero();
        assertThat(server.counters().openConnections()).isZero();
        assertThat(server.counters().idleCloses() + client.counters().idleCloses())
                .isPositive();
        assertThat(answered(Echo.ECHO)).isTrue();
    }

    @Test
    void callsAboveTheLimitAreRefusedByName() {
        RemotingClient narrow = new RemotingClient(
                ClientConfig.DEFAULT.withLimits(ConnectionLimits.DEFAULT.withMaxPendingCalls(2)), transport, clock);
        List<CompletableFuture<Answer<EchoHeader>>> answers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            answers.add(narrow.call(address(), Echo.OTHER, EchoHeader.of("x", i), null, Deadline.after(clock, 3_000)));
            transport.runUntilIdle(MANY_STEPS);
        }

        assertThat(answers.get(0)).isNotDone();
        assertThat(answers.get(1)).isNotDone();
        assertThatThrownBy(answers.get(2)::get)
                .cause()
                .isInstanceOf(RemotingException.TooManyCalls.class)
                .hasMessageContaining("maxPendingCalls");

        held.get(0).ok(EchoHeader.of("room again", 0));
        transport.runUntilIdle(MANY_STEPS);
        assertThat(narrow.call(address(), Echo.OTHER, EchoHeader.of("x", 4), null, Deadline.after(clock, 3_000)))
                .isNotDone();
    }

    @Test
    void aRequestThatFitsNoFrameIsRefusedByName() throws Exception {
        assertThat(answered(Echo.ECHO)).isTrue();
        CompletableFuture<Answer<EchoHeader>> answer = client.call(
                address(), Echo.ECHO, EchoHeader.of("x", 1), new byte[(16 << 20) + 1], Deadline.after(clock, 3_000));
        transport.runUntilIdle(MANY_STEPS);

        assertThatThrownBy(answer::get).cause().isInstanceOf(RemotingException.FrameTooLarge.class);
        assertThat(answered(Echo.ECHO)).isTrue();
    }

    @Test
    void anAnswerThatFitsNoFrameBecomesAnErrorAndItsPayloadIsReleased() throws Exception {
        CompletableFuture<Answer<EchoHeader>> answer = call(Echo.OTHER, 1, 3_000);
        transport.runUntilIdle(MANY_STEPS);
        CountingPayload body = new CountingPayload(new byte[16 << 20]);

        held.get(0).ok(EchoHeader.of("too large", 1), body);
        transport.runUntilIdle(MANY_STEPS);

        assertThat(answer.get().code()).isEqualTo(1);
        assertThat(answer.get().remark()).contains("frame length");
        assertThat(body.releases()).isEqualTo(1);
    }

    @Test
    void aGoAwayIsFollowedByOneRetryOverANewConnection() throws Exception {
        List<Connection> asked = new ArrayList<>();
        RemotingServer leaving = new RemotingServer(
                ServerConfig.of("127.0.0.1", 7_000),
                HandlerTable.builder()
                        .on(Echo.ECHO, (request, reply) -> {
                            asked.add(request.from());
                            if (asked.size() == 1) {
                                reply.fail(1500, "please go away");
                            } else {
                                reply.ok(request.header());
                            }
                        })
                        .on(Echo.OTHER, (request, reply) -> held.add(reply))
                        .build(),
                transport,
                clock);
        leaving.start();
        CompletableFuture<Answer<EchoHeader>> underWay =
                client.call("127.0.0.1:7000", Echo.OTHER, EchoHeader.of("slow", 1), null, Deadline.after(clock, 9_000));
        CompletableFuture<Answer<EchoHeader>> retried =
                client.call("127.0.0.1:7000", Echo.ECHO, EchoHeader.of("again", 2), null, Deadline.after(clock, 9_000));
        transport.runUntilIdle(MANY_STEPS);

        assertThat(retried.get().require().text()).isEqualTo("again");
        assertThat(asked).hasSize(2).doesNotHaveDuplicates();
        assertThat(asked.get(0).isOpen())
                .as("the old connection serves its last call")
                .isTrue();

        held.get(0).ok(EchoHeader.of("slow but answered", 1));
        transport.runUntilIdle(MANY_STEPS);
        assertThat(underWay.get().require().text()).isEqualTo("slow but answered");
        assertThat(asked.get(0).isOpen()).as("the old connection has drained").isFalse();
        assertThat(asked.get(1).isOpen()).isTrue();
    }

    @Test
    void aSecondGoAwayIsGivenToTheCaller() throws Exception {
        server.goAway();

        CompletableFuture<Answer<EchoHeader>> answer = call(Echo.ECHO, 1, 3_000);
        transport.runUntilIdle(MANY_STEPS);

        assertThat(answer.get().code()).isEqualTo(1500);
        assertThat(answer.get().remark()).isEqualTo("please go away");
        assertThat(client.counters().acceptedConnections()).isEqualTo(2);
    }

    @Test
    void aServerThatIsGoingAwayAsAWholeIsNotFloodedWithConnections() throws Exception {
        server.goAway();
        for (int i = 0; i < 20; i++) {
            CompletableFuture<Answer<EchoHeader>> answer = call(Echo.ECHO, i, 3_000);
            transport.runUntilIdle(MANY_STEPS);
            assertThat(answer.get().code()).isEqualTo(1500);
        }

        assertThat(client.counters().acceptedConnections()).isEqualTo(2);
    }

    @Test
    void aRequestWhosePeerHasGoneIsWaitedForByNobody() {
        CompletableFuture<Answer<EchoHeader>> left = call(Echo.OTHER, 1, 3_000);
        transport.runUntilIdle(MANY_STEPS);
        assertThat(server.unanswered()).isEqualTo(1);

        client.close();
        transport.runUntilIdle(MANY_STEPS);
        assertThat(left).isCompletedExceptionally();
        assertThat(server.unanswered()).isZero();

        held.get(0).ok(EchoHeader.of("late", 1));
        assertThat(server.unanswered()).isZero();
    }

    @Test
    void aRepeatedTaskRunsEveryPeriodUntilItIsCancelled() {
        List<Long> ran = new ArrayList<>();
        var task = transport.loop(0).every(100, () -> ran.add(clock.monotonicMs()));
        for (int i = 0; i < 5; i++) {
            clock.advanceMs(100);
            transport.runUntilIdle(MANY_STEPS);
        }
        task.cancel();
        clock.advanceMs(1_000);
        transport.runUntilIdle(MANY_STEPS);

        assertThat(ran).hasSize(5);
    }

    private MemoryNetworkTest opened() throws Exception {
        open();
        return this;
    }

    private int steps() {
        CompletableFuture<Answer<EchoHeader>> first = call(Echo.ECHO, 1, 3_000);
        CompletableFuture<Answer<EchoHeader>> second = call(Echo.ECHO, 2, 3_000);
        int steps = transport.runUntilIdle(MANY_STEPS);
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        return steps;
    }

    private RemotingServer server(int port, ConnectionLimits limits) throws RemotingException {
        RemotingServer made = new RemotingServer(
                ServerConfig.of("127.0.0.1", port).withLimits(limits),
                HandlerTable.builder()
                        .on(Echo.ECHO, (request, reply) -> reply.ok(request.header(), Payload.of(request.copyBody())))
                        .on(Echo.OTHER, (request, reply) -> held.add(reply))
                        .build(),
                transport,
                clock);
        made.start();
        return made;
    }

    private CompletableFuture<Answer<EchoHeader>> call(Rpc<EchoHeader, EchoHeader> rpc, int number, long timeoutMs) {
        return client.call(address(), rpc, EchoHeader.of("memory", number), null, Deadline.after(clock, timeoutMs));
    }

    private boolean answered(Rpc<EchoHeader, EchoHeader> rpc) throws Exception {
        CompletableFuture<Answer<EchoHeader>> answer = call(rpc, 1, 3_000);
        transport.runUntilIdle(MANY_STEPS);
        return answer.get().isOk();
    }

    private void advanceInTicks(long ms) {
        long left = ms;
        while (left > 0) {
            long step = Math.min(left, 20);
            clock.advanceMs(step);
            transport.runUntilIdle(MANY_STEPS);
            left -= step;
        }
    }

    private String address() {
        return "127.0.0.1:" + server.boundPort();
    }
}
