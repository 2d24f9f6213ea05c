package dev.perigee.remoting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.RecordHeaderCodec;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Requests of every code with headers and bodies of every kind: whatever a request says, it is answered, and its connection
 * stays. For the tests of whatever is a server.
 */
public final class AllRequests {
    private static final long PATIENCE_MS = 60_000;

    /** Where request codes lie, each with its neighbours that are none. */
    private static final int[] CODES = Stream.of(
                    IntStream.range(0, 1_100),
                    IntStream.range(2_000, 2_020),
                    IntStream.range(3_000, 3_020),
                    IntStream.range(5_000, 5_010),
                    IntStream.range(200_000, 200_200))
            .flatMapToInt(range -> range)
            .toArray();

    private static final List<byte[]> BODIES = List.of(
            text(""),
            new byte[] {0, 1, 2, (byte) 0xff, 'x'},
            text("{"),
            text("{}"),
            text("[]"),
            text("null"),
            text("7"),
            text("[null]"),
            text("{'queueDatas':[{'readQueueNums':1}]}"),
            text("{'queueDatas':[null],'topicConfigList':[null],'groupConfigList':[null],'mqSet':[null]}"),
            text("{'topicConfigList':[{}],'groupConfigList':[{}],'mqSet':[{}],'clientId':null}"),
            text("{'clientID':'c','consumerDataSet':[{'groupName':'g','subscriptionDataSet':[null]}]}"),
            text("[".repeat(20_000)),
            text("{'a':".repeat(20_000)));

    /** For codes that a server does not serve: no header and no body is read then, whatever it is. */
    private static final List<byte[]> UNREAD = List.of(BODIES.get(1), BODIES.get(BODIES.size() - 1));

    /** Fields that many headers have, as any text. */
    public record AnyHeader(
            String topic,
            String group,
            String consumerGroup,
            String producerGroup,
            String queueId,
            String clientId,
            String brokerName,
            String brokerAddr,
            String clusterName,
            String brokerId,
            String namespace,
            String key,
            String value) {
        static AnyHeader of(String text, String number) {
            return new AnyHeader(text, text, text, text, number, text, text, text, text, number, text, text, text);
        }
    }

    private static byte[] text(String json) {
        return json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    }

    private static <Q extends Record> Rpc<Q, NoHeader> any(int code, Class<Q> type) {
        return new Rpc<>(code, "ANY_" + code, RecordHeaderCodec.of(type), RecordHeaderCodec.of(NoHeader.class));
    }

    private AllRequests() {}

    /** Asks them all of a running server and fails when one is not answered in order. Blocks. */
    public static void areAnsweredBy(String address) throws Exception {
        try (EventLoops loops = EventLoops.start("asking", 1);
                RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system())) {
            assertAnswered(ask(client, address, any(0, NoHeader.class), NoHeader.NONE, BODIES.get(0)));
            Connection connection = client.connection(address).orElseThrow();
            for (int code : CODES) {
                List<CompletableFuture<Answer<NoHeader>>> answers = new ArrayList<>();
                for (byte[] body : isServed(client, address, code) ? BODIES : UNREAD) {
                    answers.add(ask(client, address, any(code, NoHeader.class), NoHeader.NONE, body));
                    Rpc<AnyHeader, NoHeader> rpc = any(code, AnyHeader.class);
                    answers.add(ask(client, address, rpc, AnyHeader.of("T", "0"), body));
                    answers.add(ask(client, address, rpc, AnyHeader.of("", "-1"), body));
                    answers.add(ask(client, address, rpc, AnyHeader.of("\u0000/../%", "x"), body));
                }
                for (CompletableFuture<Answer<NoHeader>> answer : answers) {
                    assertAnswered(answer);
                }
                assertThat(connection.isOpen()).as("after code %s", code).isTrue();
            }
        }
    }

    private static boolean isServed(RemotingClient client, String address, int code) throws Exception {
        Answer<NoHeader> answer = ask(client, address, any(code, NoHeader.class), NoHeader.NONE, BODIES.get(0))
                .get(PATIENCE_MS, TimeUnit.MILLISECONDS);
        return answer.code() != ResponseCode.REQUEST_CODE_NOT_SUPPORTED;
    }

    private static void assertAnswered(CompletableFuture<Answer<NoHeader>> answer) throws Exception {
        Answer<NoHeader> given = answer.get(PATIENCE_MS, TimeUnit.MILLISECONDS);
        assertThat(given.remarkText()).doesNotContain("NullPointerException", "IndexOutOfBounds", "ClassCast");
    }

    private static <Q extends Record> CompletableFuture<Answer<NoHeader>> ask(
            RemotingClient client, String address, Rpc<Q, NoHeader> rpc, Q header, byte[] body) {
        return client.call(address, rpc, header, body, Deadline.after(Clock.system(), PATIENCE_MS));
    }
}
