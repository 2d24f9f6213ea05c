package dev.perigee.cli;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.TopicConfig;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Opens the admin client for one command. */
final class Admin {
    private static final long ROUTE_LOOK_MS = 10;

    private Admin() {}

    /** What a command does with the client. */
    interface Work<T> {
        T with(AdminClient admin) throws ClientException, CommandException;
    }

    /** Runs the work with a client of its own; blocks. */
    static <T> T use(Reach reach, Work<T> work) throws ClientException, CommandException {
        try (AdminClient admin = AdminClient.builder()
                .nameServers(reach.nameServers())
                .timeoutMs(reach.timeoutMs())
                .build()) {
            admin.start();
            return work.with(admin);
        }
    }

    /**
     * Creates or changes a topic and waits until a name server routes to it, so that the next command finds it. Brokers
     * tell name servers a moment after they answered.
     *
     * @return the addresses of the brokers that have it
     */
    static List<String> createTopic(AdminClient admin, Reach reach, TopicConfig config, String cluster)
            throws ClientException, CommandException {
        List<String> masters = admin.brokers().masters(cluster);
        admin.topics().createOrUpdate(config, masters);
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(reach.timeoutMs());
        while (!admin.topics().exists(config.topicName())) {
            if (System.nanoTime() > endNs) {
                throw new CommandException(
                        ExitCode.FAILED,
                        "topic " + config.topicName() + " was created, but no name server routes to it after "
                                + reach.timeoutMs() + " ms");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(ROUTE_LOOK_MS));
        }
        return masters;
    }

    /** The refusal that means "no such topic" becomes its own error; every other failure stays as it is. */
    static CommandException topicMissing(String topic, RefusedException refusal) throws RefusedException {
        if (refusal.code() != ResponseCode.TOPIC_NOT_EXIST) {
            throw refusal;
        }
        return CommandException.notFound("topic " + topic + " does not exist (see 'topic list', 'topic create')");
    }

    /** Master addresses of all brokers by broker name. */
    static Map<String, String> masters(AdminClient admin) throws ClientException {
        Map<String, String> masters = new TreeMap<>();
        for (BrokerData broker : admin.brokers().cluster().brokerAddrTable().values()) {
            String master = broker.masterAddress();
            if (master != null) {
                masters.put(broker.brokerName(), master);
            }
        }
        return masters;
    }
}
