package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.broker.Broker;
import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.topic.RouteWaits;
import dev.perigee.loop.Clock;
import dev.perigee.namesrv.NameServer;
import dev.perigee.namesrv.NameServerConfig;
import dev.perigee.protocol.header.route.RouteHeader;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.topic.CreateTopicHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.route.TopicRouteData;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Over sockets: who is answered that a topic was made finds its route with the next request. */
class RouteWithTheAnswerTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int TOPICS = 50;

    @TempDir
    Path folder;

    private final EventLoops loops = EventLoops.start("routes", 1);
    private final RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system());
    private NameServer names;
    private Broker broker;

    @BeforeEach
    void start() throws Exception {
        names = new NameServer(
                NameServerConfig.defaults().listenOn("127.0.0.1", 0).keepKvIn(folder.resolve("kvConfig.json")),
                Clock.system());
        names.start();
        Properties values = new Properties();
        values.setProperty("brokerIP1", "127.0.0.1");
        values.setProperty("bindAddress", "127.0.0.1");
        values.setProperty("listenPort", "0");
        values.setProperty("namesrvAddr", "127.0.0.1:" + names.port());
        values.setProperty("storePathRootDir", folder.resolve("store").toString());
        values.setProperty("mappedFileSizeCommitLog", "16777216");
        values.setProperty("syncFlushTimeout", "60000"); // disks of busy machines take seconds
        values.setProperty("waitTimeMillsInSendQueue", "60000");
        broker = new Broker(BrokerConfig.read(values), Clock.system());
        broker.start();
        await().atMost(PATIENCE).until(() -> names.knows("broker-a"));
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        broker.close();
        names.close();
        loops.close();
    }

    private <Q extends Record, R extends Record> Answer<R> call(String address, Rpc<Q, R> rpc, Q header)
            throws Exception {
        return client.callBlocking(address, rpc, header, new byte[1], Deadline.after(Clock.system(), 60_000));
    }

    /** An answer that came later tells nothing: the broker waits for name servers no longer than {@link RouteWaits#MAX_WAIT_MS}. */
    private <Q extends Record> void assertRoutedWithTheAnswer(Rpc<Q, ?> rpc, Q header, String topic, int queues)
            throws Exception {
        long beganNs = System.nanoTime();
        assertThat(call(broker.address(), rpc, header).code()).isZero();
        long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs);
        if (tookMs < RouteWaits.MAX_WAIT_MS) {
            assertThat(queuesRouted(topic)).isEqualTo(queues);
        }
    }

    private int queuesRouted(String topic) throws Exception {
        Answer<?> route = call(
                "127.0.0.1:" + names.port(), Rpcs.GET_ROUTEINFO_BY_TOPIC, new RouteHeader(topic, true, null, null));
        assertThat(route.code()).as(topic + ": " + route.remarkText()).isZero();
        return Json.read(route.body(), TopicRouteData.class).queueDatas().get(0).writeQueueNums();
    }

    @Test
    void theRouteOfATopicThatWasMadeOrChangedIsThereWithTheAnswer() throws Exception {
        for (int i = 0; i < TOPICS; i++) {
            for (int queues : new int[] {3, 2}) {
                CreateTopicHeader header =
                        new CreateTopicHeader("T" + i, "TBW102", queues, queues, 6, "SINGLE_TAG", 0, false, null, null);
                assertRoutedWithTheAnswer(Rpcs.UPDATE_AND_CREATE_TOPIC, header, "T" + i, queues);
            }
        }
    }

    @Test
    void theRouteOfATopicThatASendMadeIsThereWithTheAnswer() throws Exception {
        for (int i = 0; i < TOPICS; i++) {
            SendMessageHeader header = new SendMessageHeader(
                    "producers", "T" + i, "TBW102", 4, 0, 0, 0, 0, PropertyText.of(""), 0, false, -1, false, null);
            assertRoutedWithTheAnswer(Rpcs.SEND_MESSAGE_V2, header, "T" + i, 4);
        }
    }
}
