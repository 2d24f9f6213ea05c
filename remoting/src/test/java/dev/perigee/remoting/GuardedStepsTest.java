package dev.perigee.remoting;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.remoting.transport.FaultLog;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
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
}
