package dev.perigee.client.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.FakeNameServer;
import dev.perigee.client.fake.Resources;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.route.QueueData;
import dev.perigee.protocol.route.TopicRouteData;
import dev.perigee.remoting.netty.EventLoops;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Over real sockets: brokers that take connections and never say a word keep nobody from consuming from the others. */
final class SilentBrokerTest {
    private static final long CALL_TIMEOUT_MS = 2_000;
    /** Asked one after the other they would take forty seconds. */
    private static final int DEAF = 50;
    /** Much less than that, and enough for a busy machine; {@code start()} promises four calls' timeouts. */
    private static final long LIMIT_MS = 80_000;

    @RegisterExtension
    private final Resources resources = new Resources();

    private final BlockingQueue<String> got = new LinkedBlockingQueue<>();
    private FakeNameServer nameServer;
    private FakeBroker live;
    private FakeBroker recovered;
    private final List<ServerSocket> deaf = new ArrayList<>();

    @BeforeEach
    void aRouteWithALiveBrokerAndManySilentOnes() throws Exception {
        EventLoops loops = resources.opened(EventLoops.start("silent-broker-test", 1));
        nameServer = resources.opened(new FakeNameServer(loops, Clock.system()));
        live = resources.opened(new FakeBroker("z-live", loops, Clock.system()));
        recovered = resources.opened(new FakeBroker("a-deaf", loops, Clock.system()));
        for (int i = 0; i < DEAF; i++) {
            deaf.add(resources.opened(new ServerSocket(0, 50, InetAddress.getLoopbackAddress())));
        }
        nameServer.route("%RETRY%g", 1, live);
        nameServer.route("T", 1, live, recovered); // so that both know the queues
        route(address(deaf.get(0)));
        live.log().append("T", 0, "from the live one", "");
    }

    private static String address(ServerSocket socket) {
        return "127.0.0.1:" + socket.getLocalPort();
    }

    /** The topic lies on the live broker and on silent ones, of which {@code a-deaf} is found at this address. */
    private void route(String addressOfFirst) {
        List<QueueData> queues = new ArrayList<>();
        List<BrokerData> brokers = new ArrayList<>();
        add("z-live", live.address(), queues, brokers);
        add("a-deaf", addressOfFirst, queues, brokers);
        for (int i = 1; i < DEAF; i++) {
            add("b-deaf-" + i, address(deaf.get(i)), queues, brokers);
        }
        nameServer.route("T", TopicRouteData.of(queues, brokers, null));
    }

    private static void add(String name, String address, List<QueueData> queues, List<BrokerData> brokers) {
        queues.add(new QueueData(name, 1, 1, 6, 0));
        brokers.add(new BrokerData("C", name, Map.of(0L, address), false, null));
    }

    @Test
    void aPushConsumerStartsInTimeAndTakesTheQueuesOfASilentBrokerWhenItAnswers() throws Exception {
        try (PushConsumer consumer = PushConsumer.builder()
                .nameServers(nameServer.address())
                .callTimeoutMs(CALL_TIMEOUT_MS)
                .routeRefreshMs(200)
                .group("g")
                .subscribe("T", "*")
                .consumeFrom(ConsumeFrom.firstOffset())
                .listener(messages -> {
                    messages.forEach(message -> got.add(message.bodyText()));
                    return ConsumeResult.SUCCESS;
                })
                .build()) {
            long beganNs = System.nanoTime();
            consumer.start();
            long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs);
            assertThat(tookMs).isLessThan(LIMIT_MS);
            assertThat(got.poll(LIMIT_MS - tookMs, TimeUnit.MILLISECONDS))
                    .as("asked for the members one after the other, silent brokers take longer")
                    .isEqualTo("from the live one");

            recovered.log().append("T", 0, "from the one that was silent", "");
            route(recovered.address());
            assertThat(got.poll(60, TimeUnit.SECONDS)).isEqualTo("from the one that was silent");
        }
    }

    @Test
    void aPullConsumerStartsInTimeAndReadsTheBrokerThatAnswers() throws Exception {
        try (PullConsumer consumer = PullConsumer.builder()
                .nameServers(nameServer.address())
                .callTimeoutMs(CALL_TIMEOUT_MS)
                .group("g")
                .consumeFrom(ConsumeFrom.firstOffset())
                .build()) {
            consumer.subscribe("T", "*");
            long beganNs = System.nanoTime();
            consumer.start();
            long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs);
            assertThat(tookMs).isLessThan(LIMIT_MS);
            Set<String> bodies = new HashSet<>();
            for (MessageExt message : consumer.poll(60_000)) {
                bodies.add(message.bodyText());
            }
            assertThat(bodies).containsExactly("from the live one");
        }
    }
}
