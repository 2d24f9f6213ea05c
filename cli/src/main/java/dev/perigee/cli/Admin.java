package dev.perigee.cli;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.rpc.ResponseCode;
import java.util.Map;
import java.util.TreeMap;

/** Opens the admin client for one command. */
final class Admin {
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
