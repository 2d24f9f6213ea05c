package dev.perigee.remoting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.remoting.transport.FaultLog;
import dev.perigee.remoting.transport.Payload;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** A request whose handler has returned is answered whatever happens to the steps that follow. */
final class GuardedStepsTest {
    private final Network network = new Network();

    @AfterEach
    void close() throws Exception {
        network.close();
    }

    private Answer<EchoHeader> ask(RequestHandler<EchoHeader, EchoHeader> handler) throws Exception {
        RemotingServer server =
                network.server(HandlerTable.builder().on(Echo.ECHO, handler).build());
        return network.client()
                .callBlocking(Network.addressOf(server), Echo.ECHO, EchoHeader.of("x", 1), null, network.soon());
    }

    private static void failAsADisk() {
        throw new InternalError("a fault occurred in a recent unsafe memory access operation");
    }

    private static void fail() {
        throw new IllegalStateException("on purpose");
    }

    @Test
    void aResumedStepThatThrowsIsAnsweredWithCodeOne() throws Exception {
        Answer<EchoHeader> answer = ask((request, reply) -> {
            CompletableFuture<?> unused = CompletableFuture.runAsync(() -> reply.resume(GuardedStepsTest::fail));
        });
        assertThat(answer.code()).isEqualTo(1);
        assertThat(answer.remark()).contains("on purpose");
    }

    @Test
    void aGuardedStepThatThrowsOnAnotherThreadIsAnsweredWithCodeOne() throws Exception {
        Answer<EchoHeader> answer = ask((request, reply) -> {
            CompletableFuture<?> unused = CompletableFuture.runAsync(() -> reply.guard(GuardedStepsTest::fail));
        });
        assertThat(answer.code()).isEqualTo(1);
    }

    @Test
    void aReadThatTheDiskFailsUnderAMappedFileIsAnsweredWithCodeOne() throws Exception {
        Answer<EchoHeader> later = ask((request, reply) -> {
            CompletableFuture<?> unused = CompletableFuture.runAsync(() -> reply.guard(GuardedStepsTest::failAsADisk));
        });
        assertThat(later.code()).isEqualTo(1);
        assertThat(later.remark()).contains("the disk did not give");
        Answer<EchoHeader> atOnce = ask((request, reply) -> failAsADisk());
        assertThat(atOnce.code()).isEqualTo(1);
    }

    @Test
    void whatIsThrownAfterTheAnswerIsNotAnsweredAgain() throws Exception {
        Answer<EchoHeader> answer = ask((request, reply) -> reply.guard(() -> {
            reply.ok(request.header());
            fail();
        }));
        assertThat(answer.code()).isZero();
    }

    @Test
    void requestsThatKeepFailingAreAnsweredAndLoggedWithinLimits() throws Exception {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger("dev.perigee.remoting");
        logger.addAppender(log);
        logger.setAdditive(false); // a hundred traces tell nobody anything
        ManualClock clock = new ManualClock();
        MemoryTransport memory = new MemoryTransport(clock);
        RemotingServer server = new RemotingServer(
                ServerConfig.of("127.0.0.1", 0),
                HandlerTable.builder().on(Echo.ECHO, (request, reply) -> fail()).build(),
                memory,
                clock);
        server.start();
        RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, memory, clock);
        try {
            for (int i = 0; i < FaultLog.MAX_LINES + 50; i++) {
                CompletableFuture<Answer<EchoHeader>> answer = client.call(
                        Network.addressOf(server),
                        Echo.ECHO,
                        EchoHeader.of("x", i),
                        null,
                        Deadline.after(clock, 1_000));
                memory.runUntilIdle(1_000);
                assertThat(answer.get().code()).isEqualTo(1);
            }
        } finally {
            logger.setAdditive(true);
            logger.detachAppender(log);
        }
        assertThat(log.list)
                .filteredOn(line -> line.getFormattedMessage().contains("event=request_failed"))
                .hasSize(FaultLog.MAX_LINES);
    }

    /** A body there is no memory for. */
    private static final class NoMemory implements Payload {
        @Override
        public int sizeBytes() {
            return 100;
        }

        @Override
        public int bufferCount() {
            return 1;
        }

        @Override
        public ByteBuffer buffer(int index) {
            throw new OutOfMemoryError("on purpose");
        }

        @Override
        public void release() {}
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAnswerThereIsNoMemoryForEndsItsConnectionAndNoOther(boolean onTheEventLoop) throws Exception {
        RequestHandler<EchoHeader, EchoHeader> handler = (request, reply) -> {
            Runnable answer = () -> {
                if (request.header().number() < 0) {
                    reply.ok(request.header(), new NoMemory());
                } else {
                    reply.ok(request.header());
                }
            };
            CompletableFuture<?> unused =
                    CompletableFuture.runAsync(onTheEventLoop ? () -> reply.resume(answer) : answer);
        };
        RemotingServer server =
                network.server(HandlerTable.builder().on(Echo.ECHO, handler).build());
        String address = Network.addressOf(server);
        for (int i = 0; i < 4; i++) { // on every event loop
            CompletableFuture<?> lost =
                    network.client().call(address, Echo.ECHO, EchoHeader.of("x", -1), null, network.soon());
            assertThatThrownBy(() -> lost.get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(RemotingException.ConnectionClosed.class);
        }
        for (int i = 0; i < 4; i++) {
            assertThat(network.client()
                            .callBlocking(address, Echo.ECHO, EchoHeader.of("x", i), null, network.soon())
                            .code())
                    .isZero();
        }
    }
}
