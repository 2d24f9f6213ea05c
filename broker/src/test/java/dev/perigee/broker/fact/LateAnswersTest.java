package dev.perigee.broker.fact;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.check.ColdAnswer;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.RequestHandler;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.store.view.ColdReaders;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What goes on with a request after its handler has returned may fail, and the request is answered all the same. */
class LateAnswersTest {
    private static final int MANY_STEPS = 1_000;

    private final MemoryTransport network = new MemoryTransport(Clock.system());
    private final RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, network, Clock.system());
    private final ArrayDeque<Runnable> applied = new ArrayDeque<>();
    private boolean room = true;

    private final AppliedLog log = new AppliedLog() {
        @Override
        public long confirmOffset() {
            return 100;
        }

        @Override
        public long appliedOffset() {
            return 50;
        }

        @Override
        public boolean whenApplied(long offset, Runnable task) {
            return room && applied.add(task);
        }
    };

    private CompletableFuture<Answer<NoHeader>> ask(RequestHandler<NoHeader, NoHeader> handler) throws Exception {
        RemotingServer server = new RemotingServer(
                ServerConfig.of("127.0.0.1", 0),
                HandlerTable.builder().on(Rpcs.CLEAN_UNUSED_TOPIC, handler).build(),
                network,
                Clock.system());
        server.start();
        CompletableFuture<Answer<NoHeader>> answer = client.call(
                "127.0.0.1:" + server.boundPort(),
                Rpcs.CLEAN_UNUSED_TOPIC,
                NoHeader.NONE,
                null,
                Deadline.after(Clock.system(), 60_000));
        network.runUntilIdle(MANY_STEPS);
        return answer;
    }

    private static void fail() {
        throw new IllegalStateException("on purpose");
    }

    private static void failed(CompletableFuture<Answer<NoHeader>> answer) throws Exception {
        assertThat(answer).isDone();
        assertThat(answer.get().code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
        assertThat(answer.get().remarkText()).contains("on purpose");
    }

    @Test
    void aReadThatFailsAfterTheViewsCaughtUpIsAnswered() throws Exception {
        CompletableFuture<Answer<NoHeader>> answer = ask((request, reply) ->
                new ReadGate(log, new WaitingRequests(Clock.system(), 60_000)).pass(reply, LateAnswersTest::fail));
        assertThat(answer).isNotDone();

        applied.remove().run();
        network.runUntilIdle(MANY_STEPS);

        failed(answer);
    }

    @Test
    void aReadBeyondWhatMayWaitForTheViewsIsAnsweredBusy() throws Exception {
        room = false;
        assertThat(ask((request, reply) -> new ReadGate(log, new WaitingRequests(Clock.system(), 60_000))
                                .pass(reply, LateAnswersTest::fail))
                        .get()
                        .code())
                .isEqualTo(ResponseCode.SYSTEM_BUSY);
    }

    @Test
    void aColdReadThatFailsIsAnswered() throws Exception {
        failed(ask((request, reply) ->
                ColdAnswer.give(new ColdReaders(0, 1, Clock.system()), reply, LateAnswersTest::fail)));
    }

    @Test
    void aStepThatFailsAfterTheAnswerChangesNothing() throws Exception {
        CompletableFuture<Answer<NoHeader>> answer = ask((request, reply) -> reply.resume(() -> {
            reply.ok(NoHeader.NONE);
            fail();
        }));
        assertThat(answer.get().code()).isZero();
    }
}
