package dev.perigee.remoting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.perigee.protocol.frame.HeaderSerialization;
import dev.perigee.protocol.frame.Language;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.RemotingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@SuppressWarnings("FutureReturnValueIgnored") // the answers are what is looked at
final class RoundTripTest {
    private static final int MANY = 10_000;

    private Network network;

    @BeforeEach
    void open() {
        network = new Network();
    }

    @AfterEach
    void close() throws Exception {
        network.close();
    }

    @ParameterizedTest
    @EnumSource(HeaderSerialization.class)
    void aCallIsAnsweredWithHeaderAndBody(HeaderSerialization serialization) throws Exception {
        RemotingServer server = network.server(Echo.table().build());
        RemotingClient client = network.client(serialization);

        Answer<EchoHeader> answer = client.callBlocking(
                Network.addressOf(server), Echo.ECHO, EchoHeader.of("häuser", 7), bytes("body"), network.soon());

        assertThat(answer.code()).isZero();
        assertThat(answer.require()).isEqualTo(EchoHeader.of("häuser", 7));
        assertThat(answer.body()).isEqualTo(bytes("body"));
        assertThat(answer.version()).isEqualTo(513);
    }

    @ParameterizedTest
    @EnumSource(HeaderSerialization.class)
    void aCodeThatDoesNotFitTheBinaryHeaderIsStillCalled(HeaderSerialization serialization) throws Exception {
        RemotingServer server = network.server(Echo.table().build());
        RemotingClient client = network.client(serialization);

        Answer<EchoHeader> answer = client.callBlocking(
                Network.addressOf(server), Echo.WIDE, EchoHeader.of("wide", 1), null, network.soon());

        assertThat(answer.require().text()).isEqualTo("wide");
    }

    @Test
    void theHandlerSeesWhoAsksAndHow() throws Exception {
        ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
        RemotingServer server = network.server(HandlerTable.builder()
                .on(Echo.ECHO, (request, reply) -> {
                    seen.add(request.code() + " " + request.version() + " " + request.language() + " "
                            + request.oneway() + " " + request.body().isReadOnly() + " "
                            + request.body().remaining());
                    assertThat(request.language()).isEqualTo(Language.JAVA);
                    Echo.handle(request, reply);
                })
                .build());

        network.client()
                .callBlocking(
                        Network.addressOf(server), Echo.ECHO, EchoHeader.of("x", 1), bytes("abc"), network.soon());

        assertThat(seen).containsExactly("900 513 JAVA false true 3");
    }

    @Test
    void manyPipelinedCallsGetTheirOwnAnswersInWhateverOrderTheyCome() throws Exception {
        ScheduledExecutorService workers = Executors.newScheduledThreadPool(2);
        try {
            RemotingServer server = network.server(HandlerTable.builder()
                    .on(Echo.ECHO, (request, reply) -> answerInTurn(workers, request, reply))
                    .build());
            RemotingClient client = network.client(HeaderSerialization.BINARY);
            List<CompletableFuture<Answer<EchoHeader>>> answers = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                answers.add(client.call(
                        Network.addressOf(server),
                        Echo.ECHO,
                        EchoHeader.of("t", i),
                        bytes("body-" + i),
                        network.soon()));
            }
            for (int i = 0; i < MANY; i++) {
                Answer<EchoHeader> answer = answers.get(i).get(60, TimeUnit.SECONDS);
                assertThat(answer.require().number()).isEqualTo(i);
                assertThat(new String(answer.body(), StandardCharsets.UTF_8)).isEqualTo("body-" + i);
            }
            assertThat(client.counters().lateAnswers()).isZero();
            assertThat(server.counters().repeatedReplies()).isZero();
            assertThat(server.counters().requests()).isEqualTo(MANY);
            assertThat(client.counters().acceptedConnections()).isEqualTo(1);
        } finally {
            workers.shutdownNow();
        }
    }

    private static void answerInTurn(
            ScheduledExecutorService workers, Request<EchoHeader> request, Reply<EchoHeader> reply) {
        int number = request.header().number();
        byte[] body = request.copyBody();
        Runnable answer = () -> reply.ok(request.header(), dev.perigee.remoting.transport.Payload.of(body));
        switch (number % 3) {
            case 0 -> answer.run();
            case 1 -> workers.execute(answer);
            default -> workers.schedule(answer, new Random(number).nextInt(20), TimeUnit.MILLISECONDS);
        }
    }

    @Test
    void aOnewayRequestIsCarriedOutAndNeverAnswered() throws Exception {
        AtomicInteger carriedOut = new AtomicInteger();
        RemotingServer server = network.server(HandlerTable.builder()
                .on(Echo.ECHO, (request, reply) -> {
                    carriedOut.incrementAndGet();
                    Echo.handle(request, reply);
                })
                .build());
        RemotingClient client = network.client();

        client.oneway(Network.addressOf(server), Echo.ECHO, EchoHeader.of("x", 1), null);
        client.oneway(Network.addressOf(server), Echo.UNKNOWN, EchoHeader.of("x", 1), null);
        await().atMost(ONE_MINUTE).untilAtomic(carriedOut, org.hamcrest.Matchers.is(1));
        Answer<EchoHeader> answer =
                client.callBlocking(Network.addressOf(server), Echo.ECHO, EchoHeader.of("y", 2), null, network.soon());

        assertThat(answer.isOk()).isTrue();
        assertThat(client.counters().lateAnswers()).isZero();
    }

    @Test
    void anUnknownCodeIsAnsweredAndTheConnectionStays() throws Exception {
        RemotingServer server = network.server(Echo.table().build());
        RemotingClient client = network.client();

        Answer<EchoHeader> refused = client.callBlocking(
                Network.addressOf(server), Echo.UNKNOWN, EchoHeader.of("x", 1), null, network.soon());
        Answer<EchoHeader> answer =
                client.callBlocking(Network.addressOf(server), Echo.ECHO, EchoHeader.of("x", 1), null, network.soon());

        assertThat(refused.code()).isEqualTo(3);
        assertThat(refused.remark()).isEqualTo(" request type 902 not supported");
        assertThat(refused.header()).isNull();
        assertThat(answer.isOk()).isTrue();
        assertThat(client.counters().acceptedConnections()).isEqualTo(1);
    }

    @Test
    void aHandlerThatThrowsIsAnsweredWithCodeOne() throws Exception {
        RemotingServer server = network.server(HandlerTable.builder()
                .on(Echo.ECHO, (request, reply) -> {
                    throw new IllegalStateException("on purpose");
                })
                .build());

        Answer<EchoHeader> answer = network.client()
                .callBlocking(Network.addressOf(server), Echo.ECHO, EchoHeader.of("x", 1), null, network.soon());

        assertThat(answer.code()).isEqualTo(1);
        assertThat(answer.remark()).contains("on purpose");
    }

    @Test
    void theGateRefusesBeforeTheHandlerIsAsked() throws Exception {
        RemotingServer server = network.server(Echo.table()
                .gate(request -> new Gate.Refusal(16, "no permission for " + request.code()))
                .build());

        Answer<EchoHeader> answer = network.client()
                .callBlocking(Network.addressOf(server), Echo.ECHO, EchoHeader.of("x", 1), null, network.soon());

        assertThat(answer.code()).isEqualTo(16);
        assertThat(answer.remark()).isEqualTo("no permission for 900");
    }

    @Test
    void aSecondReplyIsIgnoredAndCounted() throws Exception {
        RemotingServer server = network.server(HandlerTable.builder()
                .on(Echo.ECHO, (request, reply) -> {
                    reply.ok(request.header());
                    reply.fail(1, "too late");
                })
                .build());
        RemotingClient client = network.client();

        Answer<EchoHeader> answer =
                client.callBlocking(Network.addressOf(server), Echo.ECHO, EchoHeader.of("x", 1), null, network.soon());

        assertThat(answer.isOk()).isTrue();
        await().atMost(ONE_MINUTE).until(() -> server.counters().repeatedReplies() == 1);
        assertThat(client.counters().lateAnswers()).isZero();
    }

    @Test
    void ofTwoThreadsThatReplyAtOnceExactlyOneIsHeard() throws Exception {
        int requests = 1_000;
        ExecutorService workers = Executors.newFixedThreadPool(4);
        try {
            RemotingServer server = network.server(HandlerTable.builder()
                    .on(Echo.ECHO, (request, reply) -> {
                        for (int i = 0; i < 2; i++) {
                            workers.execute(() -> reply.ok(request.header()));
                        }
                    })
                    .build());
            RemotingClient client = network.client(HeaderSerialization.BINARY);
            List<CompletableFuture<Answer<EchoHeader>>> answers = new ArrayList<>();
            for (int i = 0; i < requests; i++) {
                answers.add(
                        client.call(Network.addressOf(server), Echo.ECHO, EchoHeader.of("t", i), null, network.soon()));
            }
            for (int i = 0; i < requests; i++) {
                assertThat(answers.get(i).get(60, TimeUnit.SECONDS).require().number())
                        .isEqualTo(i);
            }
            await().atMost(ONE_MINUTE).until(() -> server.counters().repeatedReplies() == requests);
            assertThat(client.counters().lateAnswers()).isZero();
        } finally {
            workers.shutdownNow();
        }
    }

    @Test
    void theServerCallsTheClientOverTheClientsConnection() throws Exception {
        RemotingServer server = network.server(HandlerTable.builder()
                .on(
                        Echo.ECHO,
                        (request, reply) -> request.from()
                                .call(Echo.OTHER, EchoHeader.of("back", 5), null, network.soon())
                                .thenAccept(answer -> reply.ok(answer.require())))
                .build());
        RemotingClient client = network.client();
        client.onRequest(HandlerTable.builder()
                .on(Echo.OTHER, (request, reply) -> reply.ok(EchoHeader.of("from the client", 6)))
                .build());

        Answer<EchoHeader> answer =
                client.callBlocking(Network.addressOf(server), Echo.ECHO, EchoHeader.of("x", 1), null, network.soon());

        assertThat(answer.require()).isEqualTo(EchoHeader.of("from the client", 6));
    }

    @Test
    void nobodyListeningIsAConnectFailureThatNamesTheAddress() throws Exception {
        RemotingServer server = network.server(Echo.table().build());
        String address = Network.addressOf(server);
        server.close();

        assertThatThrownBy(() ->
                        network.client().callBlocking(address, Echo.ECHO, EchoHeader.of("x", 1), null, network.soon()))
                .isInstanceOf(RemotingException.ConnectFailed.class)
                .hasMessageContaining(address);
    }

    @Test
    void aTakenPortIsOneClearErrorAndNoPortStaysOpen() throws Exception {
        RemotingServer first = network.server(Echo.table().build());
        ServerConfig config = ServerConfig.of("127.0.0.1", 0, first.boundPort());

        assertThatThrownBy(() -> network.server(config, HandlerTable.empty()))
                .isInstanceOf(RemotingException.BindFailed.class)
                .hasMessageContaining("127.0.0.1:" + first.boundPort())
                .hasMessageContaining("in use");
    }

    @Test
    void severalPortsShareTheHandlers() throws Exception {
        RemotingServer server =
                network.server(ServerConfig.of("127.0.0.1", 0, 0), Echo.table().build());
        RemotingClient client = network.client();

        for (int port : server.boundPorts()) {
            Answer<EchoHeader> answer =
                    client.callBlocking("127.0.0.1:" + port, Echo.ECHO, EchoHeader.of("x", port), null, network.soon());
            assertThat(answer.require().number()).isEqualTo(port);
        }
        assertThat(server.boundPorts()).hasSize(2).doesNotHaveDuplicates();
    }

    @Test
    void aLostConnectionFailsItsCallsAndTheNextCallOpensANewOne() throws Exception {
        RemotingServer server = network.server(HandlerTable.builder()
                .on(Echo.ECHO, Echo::handle)
                .on(Echo.OTHER, (request, reply) -> request.from().close("on purpose"))
                .build());
        RemotingClient client = network.client();
        String address = Network.addressOf(server);

        assertThatThrownBy(() -> client.callBlocking(address, Echo.OTHER, EchoHeader.of("x", 1), null, network.soon()))
                .isInstanceOf(RemotingException.ConnectionClosed.class)
                .hasMessageContaining("OTHER")
                .hasMessageContaining(address);
        Answer<EchoHeader> answer =
                client.callBlocking(address, Echo.ECHO, EchoHeader.of("x", 2), null, network.soon());

        assertThat(answer.isOk()).isTrue();
        assertThat(client.counters().acceptedConnections()).isEqualTo(2);
    }

    @Test
    void connectionsAboveTheLimitAreClosedAtOnce() throws Exception {
        RemotingServer server = network.server(
                ServerConfig.of("127.0.0.1", 0).withMaxConnections(1),
                Echo.table().build());
        String address = Network.addressOf(server);
        network.client().callBlocking(address, Echo.ECHO, EchoHeader.of("x", 1), null, network.soon());

        RemotingClient second = network.client();
        assertThatThrownBy(() -> second.callBlocking(address, Echo.ECHO, EchoHeader.of("x", 1), null, network.soon()))
                .isInstanceOf(RemotingException.class);
        assertThat(server.counters().refusedConnections()).isPositive();
        assertThat(server.counters().openConnections()).isEqualTo(1);
    }

    @Test
    void listenersHearOfConnectionsOnBothSides() throws Exception {
        ConcurrentLinkedQueue<String> heard = new ConcurrentLinkedQueue<>();
        RemotingServer server = new RemotingServer(
                ServerConfig.of("127.0.0.1", 0),
                Echo.table().build(),
                network.loops(),
                dev.perigee.loop.Clock.system());
        server.onConnections(recording("server", heard));
        server.start();
        RemotingClient client = network.client();
        client.onConnections(recording("client", heard));

        client.callBlocking(Network.addressOf(server), Echo.ECHO, EchoHeader.of("x", 1), null, network.soon());
        client.close(Network.addressOf(server));

        await().atMost(ONE_MINUTE).until(() -> heard.size() == 4);
        assertThat(heard).containsExactlyInAnyOrder("server opened", "client opened", "client closed", "server closed");
        server.close();
    }

    @Test
    void closingTheClientFailsItsWaitingCalls() throws Exception {
        RemotingServer server = network.server(
                HandlerTable.builder().on(Echo.ECHO, (request, reply) -> {}).build());
        RemotingClient client = network.client();
        CompletableFuture<Answer<EchoHeader>> waiting =
                client.call(Network.addressOf(server), Echo.ECHO, EchoHeader.of("x", 1), null, network.soon());
        await().atMost(ONE_MINUTE).until(() -> server.counters().requests() == 1);

        client.close();

        assertThat(waiting)
                .failsWithin(ONE_MINUTE)
                .withThrowableThat()
                .withCauseInstanceOf(RemotingException.ConnectionClosed.class)
                .withMessageContaining("the client is closing");
    }

    private static ConnectionListener recording(String side, ConcurrentLinkedQueue<String> heard) {
        return new ConnectionListener() {
            @Override
            public void opened(Connection connection) {
                heard.add(side + " opened");
            }

            @Override
            public void closed(Connection connection) {
                heard.add(side + " closed");
            }
        };
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
