package dev.perigee.client.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.ManualClock;
import dev.perigee.protocol.header.query.QueryMessageHeader;
import dev.perigee.protocol.header.query.QueryMessageResponse;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.route.QueueData;
import dev.perigee.protocol.route.TopicRouteData;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.netty.EventLoops;
import dev.perigee.remoting.transport.Payload;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Queries by key over two brokers, both played by one peer, which also is the name server. */
final class MessageQueriesTest {
    private static final int EACH = 5;
    private static final int STORE_TIMESTAMP_AT = 56;

    private final ManualClock clock = new ManualClock();
    private final EventLoops loops = EventLoops.start("message-queries", 1);
    private final AtomicInteger asked = new AtomicInteger();
    private RemotingServer peer;
    private AdminClient admin;

    @BeforeEach
    void open() throws Exception {
        HandlerTable table = HandlerTable.builder()
                .on(Rpcs.GET_ROUTEINFO_BY_TOPIC, (request, reply) -> {
                    Map<Long, String> master = Map.of(0L, "127.0.0.1:" + peer.boundPort());
                    TopicRouteData route = TopicRouteData.of(
                            List.of(new QueueData("a", 1, 1, 6, 0), new QueueData("b", 1, 1, 6, 0)),
                            List.of(
                                    new BrokerData("C", "a", master, false, null),
                                    new BrokerData("C", "b", master, false, null)),
                            null);
                    reply.ok(NoHeader.NONE, Payload.of(Json.writeStandard(route)));
                })
                .on(Rpcs.QUERY_MESSAGE, this::answer)
                .build();
        peer = new RemotingServer(ServerConfig.of("127.0.0.1", 0), table, loops, clock);
        peer.start();
        admin = AdminClient.builder()
                .nameServers("127.0.0.1:" + peer.boundPort())
                .transport(loops)
                .clock(clock)
                .clientIp("127.0.0.1")
                .build();
        admin.start();
    }

    @AfterEach
    void close() {
        admin.close();
        peer.close();
        loops.close();
    }

    /** The first broker asked holds the store times 0, 2, 4 …, the second one 1, 3, 5 … */
    private void answer(Request<QueryMessageHeader> request, Reply<QueryMessageResponse> reply) {
        int broker = asked.getAndIncrement();
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        for (int i = 0; i < Math.min(EACH, request.header().maxNum()); i++) {
            frames.writeBytes(frame(2L * (EACH - 1 - i) + broker));
        }
        reply.ok(new QueryMessageResponse(0, 0), Payload.of(frames.toByteArray()));
    }

    private static byte[] frame(long storeTimeMs) {
        FrameDraft draft = new FrameDraft()
                .topic("T".getBytes(StandardCharsets.UTF_8))
                .body(ByteBuffer.wrap(new byte[] {1}))
                .properties(PropertyText.of("KEYS\u0001k\u0002"));
        ByteBuffer frame = ByteBuffer.allocate(draft.sizeBytes());
        draft.writeTo(frame);
        frame.putLong(MessageFrame.QUEUE_OFFSET_AT, 0);
        frame.putLong(STORE_TIMESTAMP_AT, storeTimeMs);
        return frame.array();
    }

    @Test
    void aQueryOverSeveralBrokersGivesTheNewestOfAllAndNoMoreThanAskedFor() throws Exception {
        assertThat(admin.messages().byKey("T", "k", 3, 0, Long.MAX_VALUE))
                .extracting(MessageExt::storeTimestampMs)
                .containsExactly(9L, 8L, 7L);
        assertThat(asked).hasValue(2);
    }

    @Test
    void aQueryForMoreThanThereIsGivesAllOfThemNewestFirst() throws Exception {
        assertThat(admin.messages().byKey("T", "k", 60, 0, Long.MAX_VALUE))
                .extracting(MessageExt::storeTimestampMs)
                .containsExactly(9L, 8L, 7L, 6L, 5L, 4L, 3L, 2L, 1L, 0L);
    }
}
