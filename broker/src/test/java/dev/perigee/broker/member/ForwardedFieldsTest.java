package dev.perigee.broker.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.frame.BadFieldException;
import dev.perigee.protocol.frame.FieldCursor;
import dev.perigee.protocol.frame.FieldSink;
import dev.perigee.protocol.frame.HeaderSerialization;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.rpc.HeaderCodec;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.ManualClock;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.memory.MemoryTransport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What goes beside the header of a request from a member to its leader, on a network in memory. */
final class ForwardedFieldsTest {
    private static final int MEMBER_PORT = 10_911;
    private static final int LEADER_PORT = 40_911;
    private static final int STEPS = 100_000;
    private static final long CALL_MS = 60_000;
    private static final String LONG_NAME = "n".repeat(ForwardedFields.MAX_NAME_LENGTH + 1);
    private static final PullMessageHeader PULL =
            new PullMessageHeader("g", "T", 0, 5, 32, 2, 0, 20_000, "*", 0, "TAG", 0, 0, null, null);

    private final Clock clock = new ManualClock();
    private final MemoryTransport network = new MemoryTransport(clock);
    private final ForwardedCalls forwarded = new ForwardedCalls(
            new RemotingClient(ClientConfig.DEFAULT, network, clock),
            () -> Optional.of("127.0.0.1:" + LEADER_PORT),
            () -> {},
            HandingMember.SELF,
            clock);
    private final List<Map<String, String>> came = new ArrayList<>();
    private final List<Request<?>> made = new ArrayList<>();

    /** A header with more than is known of it. */
    private record More(Rpc<PullMessageHeader, PullMessageResponse> rpc, Map<String, String> more)
            implements HeaderCodec<PullMessageHeader> {
        @Override
        public PullMessageHeader decode(FieldCursor fields) throws BadFieldException {
            return rpc.request().decode(fields);
        }

        @Override
        public void encode(PullMessageHeader header, FieldSink out) {
            rpc.request().encode(header, out);
            more.forEach(out::text);
        }
    }

    @BeforeEach
    void open() throws Exception {
        HandlerTable.Builder member = HandlerTable.builder();
        HandingMember.hand(member, forwarded, Rpcs.PULL_MESSAGE, "c1");
        HandingMember.hand(member, forwarded, Rpcs.LOCK_BATCH_MQ, null);
        serve(MEMBER_PORT, member.build());
        serve(
                LEADER_PORT,
                HandlerTable.builder()
                        .on(Rpcs.PULL_MESSAGE, (request, reply) -> {
                            take(request);
                            reply.fail(1, "seen");
                        })
                        .on(Rpcs.LOCK_BATCH_MQ, (request, reply) -> {
                            take(request);
                            reply.ok(NoHeader.NONE);
                        })
                        .build());
    }

    private void serve(int port, HandlerTable table) throws Exception {
        new RemotingServer(ServerConfig.of("127.0.0.1", port), table, network, clock).start();
    }

    private void take(Request<?> request) {
        Map<String, String> fields = new TreeMap<>();
        FieldCursor cursor = request.fields();
        while (cursor.next()) {
            fields.put(cursor.keyText(), cursor.text());
        }
        came.add(fields);
        made.add(ForwardedFields.asMade(request).request());
    }

    private <Q extends Record, R extends Record> Connection ask(HeaderSerialization as, Rpc<Q, R> rpc, Q header) {
        ClientConfig usual = ClientConfig.DEFAULT;
        RemotingClient client = new RemotingClient(
                new ClientConfig(usual.connectTimeoutMs(), usual.tls(), as, usual.limits()), network, clock);
        String address = "127.0.0.1:" + MEMBER_PORT;
        CompletableFuture<Answer<R>> answer = client.call(address, rpc, header, null, Deadline.after(clock, CALL_MS));
        network.runUntilIdle(STEPS);
        forwarded.doWork(clock.monotonicMs());
        network.runUntilIdle(STEPS);
        assertThat(answer).isCompleted();
        assertThat(came).hasSize(1);
        return client.connection(address).orElseThrow();
    }

    @ParameterizedTest
    @EnumSource(HeaderSerialization.class)
    void whatThisReleaseDoesNotKnowGoesAlongAndWhatItChangesIsChanged(HeaderSerialization as) {
        Map<String, String> more = new TreeMap<>(Map.of(
                "ofALaterRelease",
                "some value, ä",
                ForwardedFields.FOR,
                "192.0.2.7:4711",
                ForwardedFields.ID,
                "somebody",
                ForwardedFields.LANGUAGE,
                "CPP",
                ForwardedFields.GROUP,
                "of the client's choice",
                ForwardedFields.LOG,
                "0",
                ForwardedFields.NUMBER,
                "4711",
                LONG_NAME,
                "too long"));
        if (as == HeaderSerialization.JSON) {
            more.put("näme", "the binary form has no names but of ASCII");
        }
        Connection client = ask(
                as,
                new Rpc<>(
                        Rpcs.PULL_MESSAGE.code(),
                        "pull with more",
                        new More(Rpcs.PULL_MESSAGE, more),
                        Rpcs.PULL_MESSAGE.response()),
                PULL);

        String address = "127.0.0.1:" + client.local().getPort();
        assertThat(came.get(0))
                .containsEntry("queueOffset", "5")
                .containsEntry("suspendTimeoutMillis", Long.toString(ForwardedCalls.SUSPEND_MS))
                .containsEntry("ofALaterRelease", "some value, ä")
                .containsEntry(ForwardedFields.FOR, address)
                .containsEntry(ForwardedFields.ID, "c1")
                .containsEntry(ForwardedFields.LANGUAGE, "JAVA")
                .containsEntry(ForwardedFields.GROUP, "g1")
                .containsEntry(ForwardedFields.LOG, "a1b2")
                .containsEntry(ForwardedFields.NUMBER, "1")
                .doesNotContainKeys("näme", LONG_NAME);
        assertThat(made.get(0).askedBy().remoteAddress()).isEqualTo(address);
        assertThat(made.get(0).askedBy().remote()).isEqualTo(client.local());
        assertThat(made.get(0).from().remote()).isNotEqualTo(client.local());
    }

    /** R8-02: it would close the connection on which the requests of all other clients go, too. */
    @Test
    void ofMoreFieldsThanALeaderReadsNotAllGoAlong() {
        Map<String, String> more = new TreeMap<>();
        for (int i = 0; i < 2_000; i++) {
            more.put("unknown" + i, "value");
        }

        ask(
                HeaderSerialization.BINARY,
                new Rpc<>(
                        Rpcs.PULL_MESSAGE.code(),
                        "pull with much more",
                        new More(Rpcs.PULL_MESSAGE, more),
                        Rpcs.PULL_MESSAGE.response()),
                PULL);

        assertThat(came.get(0).keySet())
                .filteredOn(name -> name.startsWith("unknown"))
                .hasSize(ForwardedFields.MAX_UNKNOWN);
        assertThat(came.get(0)).containsEntry("queueOffset", "5").containsKey(ForwardedFields.FOR);
    }

    @Test
    void aRequestWithoutAHeaderIsOfItsClientAsWell() {
        Connection client = ask(HeaderSerialization.JSON, Rpcs.LOCK_BATCH_MQ, NoHeader.NONE);

        assertThat(came.get(0))
                .containsOnlyKeys(
                        ForwardedFields.FOR,
                        ForwardedFields.LANGUAGE,
                        ForwardedFields.GROUP,
                        ForwardedFields.LOG,
                        ForwardedFields.NUMBER);
        assertThat(made.get(0).askedBy().remote()).isEqualTo(client.local());
    }
}
