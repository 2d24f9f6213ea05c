package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.broker.Broker;
import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.loop.Clock;
import dev.perigee.namesrv.NameServer;
import dev.perigee.namesrv.NameServerConfig;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.route.QueueData;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Check K07: whatever happens to a topic or a name server, every name server tells the truth within one period. */
class RoutesFollowBrokersTest {
    /** One registration period of the brokers here, the shortest that can be set: the bound of the check. */
    private static final Duration PERIOD = Duration.ofSeconds(10);

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    /** What is begun within a period has an end later, on a busy machine. */
    private static final Duration WITHIN_A_PERIOD = PERIOD.plus(PATIENCE);
    /** For what comes before the step that is checked. */
    @TempDir
    Path folder;

    private NameServer nameServer(int number, int port) throws Exception {
        NameServer server = new NameServer(
                NameServerConfig.defaults()
                        .listenOn("127.0.0.1", port)
                        .keepKvIn(folder.resolve("namesrv-" + number).resolve("kvConfig.json")),
                Clock.system());
        server.start();
        return server;
    }

    private Broker broker(String name, String nameServers) throws Exception {
        Properties values = new Properties();
        values.setProperty("brokerName", name);
        values.setProperty("brokerIP1", "127.0.0.1");
        values.setProperty("bindAddress", "127.0.0.1");
        values.setProperty("listenPort", "0");
        values.setProperty("namesrvAddr", nameServers);
        values.setProperty("registerNameServerPeriod", Long.toString(PERIOD.toMillis()));
        values.setProperty("storePathRootDir", folder.resolve(name).toString());
        values.setProperty("mappedFileSizeCommitLog", "16777216");
        values.setProperty("syncFlushTimeout", "60000"); // disks of busy machines take seconds
        values.setProperty("waitTimeMillsInSendQueue", "60000");
        Broker broker = new Broker(BrokerConfig.read(values), Clock.system());
        broker.start();
        return broker;
    }

    private static AdminClient admin(int port) {
        AdminClient admin = AdminClient.builder()
                .nameServers("127.0.0.1:" + port)
                .callTimeoutMs(60_000)
                .timeoutMs(60_000)
                .build();
        admin.start();
        return admin;
    }

    private static List<String> brokersOf(AdminClient admin, String topic) throws ClientException {
        if (!admin.topics().exists(topic)) {
            return List.of();
        }
        return admin.topics().route(topic).queueDatas().stream()
                .map(QueueData::brokerName)
                .sorted()
                .toList();
    }

    @Test
    void aTopicDeletedOnOneBrokerVanishesForItOnEveryNameServer() throws Exception {
        try (NameServer first = nameServer(1, 0);
                NameServer second = nameServer(2, 0)) {
            String both = "127.0.0.1:" + first.port() + ";127.0.0.1:" + second.port();
            try (Broker a = broker("broker-a", both);
                    Broker b = broker("broker-b", both);
                    AdminClient one = admin(first.port());
                    AdminClient two = admin(second.port());
                    EventLoops loops = EventLoops.start("k07", 1);
                    RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system())) {
                await().atMost(PATIENCE).until(() -> first.knows("broker-b") && second.knows("broker-b"));
                one.topics().createOrUpdate(TopicConfig.of("shared", 2), List.of(a.address(), b.address()));
                for (AdminClient admin : List.of(one, two)) {
                    await().atMost(PATIENCE)
                            .until(() -> brokersOf(admin, "shared").size() == 2);
                }

                client.callBlocking(
                        a.address(),
                        Rpcs.DELETE_TOPIC_IN_BROKER,
                        new TopicHeader("shared"),
                        null,
                        Deadline.after(Clock.system(), 60_000));

                await().atMost(WITHIN_A_PERIOD).untilAsserted(() -> {
                    for (AdminClient admin : List.of(one, two)) {
                        assertThat(brokersOf(admin, "shared")).containsExactly("broker-b");
                    }
                });
            }
        }
    }

    @Test
    void aTopicMadeWhileANameServerIsDownIsKnownThereAfterItsRestart() throws Exception {
        NameServer second = nameServer(2, 0);
        int port = second.port();
        try (NameServer first = nameServer(1, 0);
                Broker broker = broker("broker-a", "127.0.0.1:" + first.port() + ";127.0.0.1:" + port);
                AdminClient one = admin(first.port())) {
            await().atMost(PATIENCE).until(() -> first.knows("broker-a"));
            second.close();
            one.topics().createOrUpdate(TopicConfig.of("meanwhile", 2), List.of(broker.address()));
            await().atMost(PATIENCE).until(() -> brokersOf(one, "meanwhile").size() == 1);

            try (NameServer restarted = nameServer(2, port);
                    AdminClient two = admin(restarted.port())) {
                await().atMost(WITHIN_A_PERIOD)
                        .untilAsserted(
                                () -> assertThat(brokersOf(two, "meanwhile")).containsExactly("broker-a"));
            }
        }
    }
}
