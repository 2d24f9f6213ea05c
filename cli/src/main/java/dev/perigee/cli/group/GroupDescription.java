package dev.perigee.cli.group;

import dev.perigee.cli.output.Column;
import dev.perigee.cli.output.Printer;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.client.ClientConnection;
import dev.perigee.protocol.client.ConsumerConnection;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.stats.ConsumeStats;
import dev.perigee.protocol.stats.QueueProgress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the brokers say about one group: its settings, its members and how far it is in every queue.
 *
 * @param connected the members and what they subscribe to; empty when none is connected
 * @param consumeTps messages a second that go out
 */
@Immutable
record GroupDescription(
        String group,
        List<GroupSettings> settings,
        Optional<ConsumerConnection> connected,
        double consumeTps,
        List<ProgressLine> queues) {
    private static final List<Column<ProgressLine>> QUEUES = List.of(
            Column.text("Topic", "topic", line -> line.queue().topic()),
            Column.text("Broker", "broker", line -> line.queue().brokerName()),
            Column.number("Queue", "queue", line -> line.queue().queueId()),
            Column.number("Consumed", "consumerOffset", line -> line.progress().consumerOffset()),
            Column.number("End", "brokerOffset", line -> line.progress().brokerOffset()),
            Column.number("Lag", "lag", ProgressLine::lag),
            Column.json("pullOffset", line -> line.progress().pullOffset()),
            Column.json("lastConsumed", ProgressLine::lastConsumed));

    private static final List<Column<ClientConnection>> MEMBERS = List.of(
            Column.json("clientId", ClientConnection::clientId),
            Column.json("address", ClientConnection::clientAddr),
            Column.json("language", ClientConnection::language),
            Column.json("version", ClientConnection::version));

    private static final List<Column<SubscriptionData>> SUBSCRIPTIONS = List.of(
            Column.json("topic", SubscriptionData::topic),
            Column.json("expression", SubscriptionData::subString),
            Column.json("type", SubscriptionData::expressionType),
            Column.json("tags", wanted -> new TreeSet<>(wanted.tagsSet())),
            Column.json("subVersion", SubscriptionData::subVersion),
            Column.json("classFilterMode", SubscriptionData::classFilterMode));

    GroupDescription {
        settings = List.copyOf(settings);
        queues = List.copyOf(queues);
    }

    /** The place in one queue. */
    private record ProgressLine(MessageQueue queue, QueueProgress progress) {
        private long lag() {
            return Math.max(0, progress.brokerOffset() - progress.consumerOffset());
        }

        /** The store time of the last consumed message. */
        private @Nullable String lastConsumed() {
            long timestampMs = progress.lastTimestamp();
            return timestampMs <= 0 ? null : Instant.ofEpochMilli(timestampMs).toString();
        }
    }

    /** Asks every broker. Blocks. */
    static GroupDescription of(AdminClient admin, String group, List<GroupSettings> settings) throws ClientException {
        ConsumeStats stats = progress(admin, group);
        List<ProgressLine> lines = new ArrayList<>();
        new TreeMap<>(stats.offsetTable()).forEach((queue, at) -> lines.add(new ProgressLine(queue, at)));
        return new GroupDescription(group, settings, connected(admin, group), stats.consumeTps(), lines);
    }

    private static ConsumeStats progress(AdminClient admin, String group) throws ClientException {
        try {
            return admin.groups().progress(group);
        } catch (RefusedException e) {
            if (e.code() == ResponseCode.CONSUMER_NOT_ONLINE || e.code() == ResponseCode.TOPIC_NOT_EXIST) {
                return new ConsumeStats(Map.of(), 0); // it has never consumed
            }
            throw e;
        }
    }

    private static Optional<ConsumerConnection> connected(AdminClient admin, String group) throws ClientException {
        try {
            return Optional.of(admin.groups().connections(group));
        } catch (RefusedException e) {
            if (e.code() == ResponseCode.CONSUMER_NOT_ONLINE) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Sentences and a table, or one object with everything. */
    void print(Printer printer) {
        if (printer.isJson()) {
            printer.json(whole());
            return;
        }
        printer.line("group " + group + ": " + members().size() + " members, " + lag() + " messages behind");
        members().forEach(member -> printer.line("  " + member.clientId() + " from " + member.clientAddr()));
        printer.rows(queues, QUEUES, "no positions yet");
    }

    private Map<String, Object> whole() {
        Map<String, Object> whole = new LinkedHashMap<>();
        whole.put("group", group);
        whole.put("lag", lag());
        whole.put("consumeTps", consumeTps);
        whole.put("settings", Printer.objects(settings, GroupSettings.COLUMNS));
        whole.put("members", Printer.objects(members(), MEMBERS));
        connected.ifPresent(consumers -> {
            putName(whole, "consumeType", consumers.consumeType());
            putName(whole, "messageModel", consumers.messageModel());
            putName(whole, "consumeFromWhere", consumers.consumeFromWhere());
            whole.put(
                    "subscriptions",
                    Printer.objects(List.copyOf(new TreeMap<>(consumers.subscriptionTable()).values()), SUBSCRIPTIONS));
        });
        whole.put("queues", Printer.objects(queues, QUEUES));
        return whole;
    }

    private static void putName(Map<String, Object> whole, String member, @Nullable Enum<?> value) {
        if (value != null) {
            whole.put(member, value.name());
        }
    }

    private long lag() {
        return queues.stream().mapToLong(ProgressLine::lag).sum();
    }

    private List<ClientConnection> members() {
        return connected
                .map(consumers -> consumers.connectionSet().stream()
                        .sorted(Comparator.comparing(ClientConnection::clientId))
                        .toList())
                .orElse(List.of());
    }
}
