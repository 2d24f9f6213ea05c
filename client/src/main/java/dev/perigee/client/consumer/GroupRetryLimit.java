package dev.perigee.client.consumer;

import dev.perigee.client.error.Completion;
import dev.perigee.client.instance.BrokerCalls;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.group.GroupHeader;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.Rpcs;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How often the group lets a message be tried again, as each broker says (code 352). A broker that cannot tell leaves its
 * limit unknown; then nothing is set aside.
 */
@OwnedBy("client loop")
final class GroupRetryLimit {
    /** Time between two questions. */
    static final long ASK_MS = 30_000;

    private static final Logger LOG = LoggerFactory.getLogger(GroupRetryLimit.class);

    private final ClientInstance instance;
    private final String group;
    private final Set<String> asked = new HashSet<>();
    private final Map<String, Integer> byBroker = new HashMap<>();

    GroupRetryLimit(ClientInstance instance, String group) {
        this.instance = instance;
        this.group = group;
    }

    /** Retries of a message of this broker; empty while unknown, {@link Integer#MAX_VALUE} for no limit. */
    OptionalInt of(String brokerName) {
        Integer limit = byBroker.get(brokerName);
        return limit == null ? OptionalInt.empty() : OptionalInt.of(limit < 0 ? Integer.MAX_VALUE : limit);
    }

    /** Asks the broker of this queue, unless it was asked before. */
    void know(MessageQueue queue) {
        if (asked.add(queue.brokerName())) {
            ask(queue.brokerName());
        }
    }

    /** Asks the brokers of these queues again; others are forgotten. */
    void refresh(Collection<MessageQueue> queues) {
        Set<String> names = queues.stream().map(MessageQueue::brokerName).collect(Collectors.toSet());
        asked.retainAll(names);
        byBroker.keySet().retainAll(names);
        names.forEach(this::ask);
    }

    private void ask(String brokerName) {
        instance.routes()
                .masterAddress(brokerName)
                .ifPresent(address -> Completion.on(
                        instance.calls()
                                .demandBody(
                                        BrokerCalls.Question.of(
                                                address,
                                                Rpcs.GET_SUBSCRIPTIONGROUP_CONFIG,
                                                new GroupHeader(group),
                                                "-"),
                                        SubscriptionGroupConfig.class),
                        (config, failure) -> instance.loop().execute(() -> {
                            if (failure != null) {
                                LOG.debug(
                                        "event=retry_limit_unknown group={} broker={} reason=\"{}\"",
                                        group,
                                        brokerName,
                                        failure.getMessage());
                                return;
                            }
                            Integer before = byBroker.put(brokerName, config.retryMaxTimes());
                            if (before == null || before != config.retryMaxTimes()) {
                                LOG.info(
                                        "event=retry_limit group={} broker={} retries={}",
                                        group,
                                        brokerName,
                                        config.retryMaxTimes());
                            }
                        })));
    }
}
