package dev.perigee.cli.session;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.topic.TopicConfig;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Opens the admin client for one command. */
public final class Admin {
    private static final long ROUTE_LOOK_MS = 10;
    private static final long ROUTE_PATIENCE_MS = 1_000;

    private Admin() {}

    /** What a command does with the client. */
    public interface Work<T> {
        /** Blocks. */
        T with(AdminClient admin) throws ClientException, CommandException;
    }

    /** Runs the work with a client of its own; blocks. */
    public static <T> T use(Reach reach, Work<T> work) throws ClientException, CommandException {
        try (AdminClient admin =
                reach.on(AdminClient.builder()).timeoutMs(reach.timeoutMs()).build()) {
            admin.start();
            return work.with(admin);
        }
    }

    /**
     * Creates or changes a topic and sees to it that a name server routes to it, so that the next command finds it. It does when brokers
     * answer, unless the name server that is asked was down or slow.
     *
     * @return the addresses of the brokers that have it
     */
    public static List<String> createTopic(AdminClient admin, Reach reach, TopicConfig config, String cluster)
            throws ClientException, CommandException {
        List<String> masters = admin.brokers().masters(cluster);
        admin.topics().createOrUpdate(config, masters);
        if (!awaitRoute(admin, config.topicName(), reach.timeoutMs())) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "topic " + config.topicName() + " was created, but no name server routes to it after "
                            + reach.timeoutMs() + " ms");
        }
        return masters;
    }

    /**
     * Makes sure that a topic exists. One that was made a moment ago by a one-way send, or by a send to a RocketMQ broker, may take some
     * milliseconds to be known, so a missing one is looked for a little longer.
     */
    public static void requireTopic(AdminClient admin, String topic) throws ClientException, CommandException {
        if (!awaitRoute(admin, topic, ROUTE_PATIENCE_MS)) {
            throw CommandException.notFound("topic " + topic + " does not exist (see 'topic list', 'topic create')");
        }
    }

    /** Makes sure that a group exists on some broker. */
    public static void requireGroup(AdminClient admin, String group) throws ClientException, CommandException {
        if (!admin.groups().list().containsKey(group)) {
            throw CommandException.notFound("group " + group + " does not exist (see 'group list', 'group create')");
        }
    }

    private static boolean awaitRoute(AdminClient admin, String topic, long timeoutMs) throws ClientException {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        while (!admin.topics().exists(topic)) {
            if (System.nanoTime() > endNs) {
                return false;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(ROUTE_LOOK_MS));
        }
        return true;
    }

    /** Master addresses of all brokers by broker name. */
    public static Map<String, String> masters(AdminClient admin) throws ClientException {
        Map<String, String> masters = new TreeMap<>();
        for (BrokerData broker : admin.brokers().cluster().brokerAddrTable().values()) {
            String master = broker.masterAddress();
            if (master != null) {
                masters.put(broker.brokerName(), master);
            }
        }
        return masters;
    }

    /** The names of all brokers of which only slaves are registered. */
    public static List<String> withoutMaster(AdminClient admin) throws ClientException {
        return admin.brokers().cluster().brokerAddrTable().values().stream()
                .filter(broker -> broker.masterAddress() == null)
                .map(BrokerData::brokerName)
                .sorted()
                .toList();
    }
}
