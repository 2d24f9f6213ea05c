package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.frame.CommandHead;
import dev.perigee.protocol.frame.HeaderSerialization;
import dev.perigee.protocol.frame.Language;
import dev.perigee.protocol.frame.PeerVersion;
import dev.perigee.protocol.frame.RemotingCommand;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.route.RegisterBrokerResponse;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A clean stop costs nobody a send, whether the peer knows of going away or not. */
class BrokerStopTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int UNDER_WAY = 32;
    private static final byte[] BODY = {1, 2, 3};

    @TempDir
    Path folder;

    /** A producer older than GO_AWAY that always has some sends under way and remembers every answer. */
    private static final class OldProducer implements AutoCloseable {
        final ConcurrentLinkedQueue<Integer> codes = new ConcurrentLinkedQueue<>();
        private final Semaphore window = new Semaphore(UNDER_WAY); // so few that a slow machine is not busy with them
        private final Socket socket;
        private final List<Thread> threads = new ArrayList<>();

        OldProducer(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            threads.add(new Thread(this::write, "old-producer-out"));
            threads.add(new Thread(this::read, "old-producer-in"));
            threads.forEach(Thread::start);
        }

        private void write() {
            try {
                OutputStream out = socket.getOutputStream();
                for (int opaque = 0; ; opaque++) {
                    window.acquireUninterruptibly();
                    CommandHead head = new CommandHead(
                            Rpcs.SEND_MESSAGE_V2.code(),
                            Language.JAVA,
                            PeerVersion.V4_9_8,
                            opaque,
                            0,
                            null,
                            HeaderSerialization.JSON);
                    out.write(RemotingCommand.of(
                                    head,
                                    sink -> Rpcs.SEND_MESSAGE_V2
                                            .request()
                                            .encode(TestBroker.sendHeader("T", 0, ""), sink),
                                    BODY)
                            .encode());
                }
            } catch (IOException e) {
                assertThat(e).isInstanceOf(SocketException.class); // the broker has gone
            }
        }

        private void read() {
            try {
                DataInputStream in = new DataInputStream(socket.getInputStream());
                while (true) {
                    int length = in.readInt();
                    byte[] frame = new byte[4 + length];
                    ByteBuffer.wrap(frame).putInt(length);
                    in.readFully(frame, 4, length);
                    codes.add(RemotingCommand.decode(frame).head().code());
                    window.release();
                }
            } catch (EOFException | SocketException e) {
                // the broker has gone
            } catch (Exception e) {
                codes.add(-1);
            } finally {
                window.release(Short.MAX_VALUE); // the writer sees by itself that the connection is gone
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
            await().atMost(PATIENCE).until(() -> threads.stream().noneMatch(Thread::isAlive));
        }
    }

    @Test
    void noSendOfAnOldPeerIsRefusedWhileTheBrokerStops() throws Exception {
        try (TestBroker broker = new TestBroker(folder, Map.of())) {
            broker.send("T", 0, "first");
            try (OldProducer producer = new OldProducer(broker.broker.port())) {
                await().atMost(PATIENCE).until(() -> producer.codes.size() > 100);
                broker.broker.close();
                assertThat(producer.codes).hasSizeGreaterThan(100).containsOnly(ResponseCode.SUCCESS);
            }
        }
    }

    @Test
    void aParkedPullIsAnsweredWhenTheBrokerStops() throws Exception {
        try (TestBroker broker = new TestBroker(folder, Map.of())) {
            broker.send("T", 0, "first");
            CompletableFuture<Answer<PullMessageResponse>> parked = broker.client.call(
                    broker.address,
                    Rpcs.PULL_MESSAGE,
                    TestBroker.pullHeader("g", "T", 0, 1, 30_000),
                    null,
                    Deadline.after(Clock.system(), 60_000));
            broker.pull("g", "T", 0, 0); // the one before it is parked now
            broker.broker.close();
            assertThat(parked.get(60, TimeUnit.SECONDS).code()).isEqualTo(ResponseCode.PULL_NOT_FOUND);
        }
    }

    @Test
    void nameServersForgetTheBrokerBeforeAnybodyIsSentAway() throws Exception {
        // the broker waits a second for NameServers: a try that a slow machine holds up for longer shows nothing
        for (int tries = 1; tries < 10; tries++) {
            if (codeOfASendWhileTheNameServerIsAskedToForget() == ResponseCode.SUCCESS) {
                return;
            }
        }
        assertThat(codeOfASendWhileTheNameServerIsAskedToForget()).isEqualTo(ResponseCode.SUCCESS);
    }

    private int codeOfASendWhileTheNameServerIsAskedToForget() throws Exception {
        AtomicReference<TestBroker> serving = new AtomicReference<>();
        CompletableFuture<Integer> code = new CompletableFuture<>();
        HandlerTable names = HandlerTable.builder()
                .on(Rpcs.REGISTER_BROKER, (request, reply) -> reply.ok(new RegisterBrokerResponse(null, null)))
                .on(Rpcs.UNREGISTER_BROKER, (request, reply) -> {
                    TestBroker broker = Objects.requireNonNull(serving.get());
                    CompletableFuture<?> unused = broker.client
                            .call(
                                    broker.address,
                                    Rpcs.SEND_MESSAGE_V2,
                                    TestBroker.sendHeader("T", 0, ""),
                                    BODY,
                                    Deadline.after(Clock.system(), PATIENCE.toMillis()))
                            .whenComplete((answer, failure) -> {
                                code.complete(answer == null ? -1 : answer.code());
                                reply.ok(NoHeader.NONE);
                            });
                })
                .build();
        try (EventLoops loops = EventLoops.start("names", 1);
                RemotingServer server =
                        new RemotingServer(ServerConfig.of("127.0.0.1", 0), names, loops, Clock.system())) {
            server.start();
            try (TestBroker broker = new TestBroker(folder, Map.of("namesrvAddr", "127.0.0.1:" + server.boundPort()))) {
                broker.send("T", 0, "first");
                serving.set(broker);
                broker.broker.close();
                return code.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            }
        }
    }

    @Test
    void aNameServerThatDoesNotAnswerHoldsTheStopUpForASecondAtMost() throws Exception {
        HandlerTable names = HandlerTable.builder()
                .on(Rpcs.REGISTER_BROKER, (request, reply) -> reply.ok(new RegisterBrokerResponse(null, null)))
                .on(Rpcs.UNREGISTER_BROKER, (request, reply) -> {})
                .build();
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger("dev.perigee.broker.registration");
        logger.setLevel(Level.INFO);
        logger.addAppender(log);
        try (EventLoops loops = EventLoops.start("names", 1);
                RemotingServer server =
                        new RemotingServer(ServerConfig.of("127.0.0.1", 0), names, loops, Clock.system())) {
            server.start();
            try (TestBroker broker = new TestBroker(folder, Map.of("namesrvAddr", "127.0.0.1:" + server.boundPort()))) {
                broker.broker.close();
            }
        } finally {
            logger.detachAppender(log);
            logger.setLevel(null);
        }
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.contains("event=unregistered"))
                .singleElement()
                .satisfies(line -> assertThat(line).contains("CallTimeout", "limit 1000 ms"));
    }
}
