package dev.perigee.cli.group;

import dev.perigee.cli.output.Column;
import dev.perigee.cli.output.Printer;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.stats.ConsumeStats;
import dev.perigee.protocol.stats.QueueProgress;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What the brokers and its members say about one group: its settings, its members, how far it is in every queue and who
 * reads it.
 *
 * @param consumeTps messages a second that go out
 */
@Immutable
record GroupDescription(
        String group, List<GroupSettings> settings, GroupMembers members, double consumeTps, List<QueueLine> queues) {
    private static final List<Column<QueueLine>> QUEUES = List.of(
            Column.text("Topic", "topic", line -> line.queue().topic()),
            Column.text("Broker", "broker", line -> line.queue().brokerName()),
            Column.number("Queue", "queue", line -> line.queue().queueId()),
            Column.text("Read by", "owners", line -> line.owners().isEmpty() ? null : line.owners()),
            Column.number("Consumed", "consumerOffset", line -> line.of(QueueProgress::consumerOffset)),
            Column.number("End", "brokerOffset", line -> line.of(QueueProgress::brokerOffset)),
            Column.number("Lag", "lag", line -> line.of(QueueLine::lag)),
            Column.json("pullOffset", line -> line.of(QueueProgress::pullOffset)),
            Column.json("lastConsumed", QueueLine::lastConsumed));

    GroupDescription {
        settings = List.copyOf(settings);
        queues = List.copyOf(queues);
    }

    /**
     * One queue.
     *
     * @param progress null where the group has no offset at the broker
     * @param owners client ids of those that read it
     */
    private record QueueLine(MessageQueue queue, @Nullable QueueProgress progress, List<String> owners) {
        private static long lag(QueueProgress at) {
            return Math.max(0, at.brokerOffset() - at.consumerOffset());
        }

        private @Nullable Long of(ToLongFunction<QueueProgress> part) {
            QueueProgress at = progress;
            return at == null ? null : Long.valueOf(part.applyAsLong(at));
        }

        /** The store time of the last consumed message. */
        private @Nullable String lastConsumed() {
            Long timestampMs = of(QueueProgress::lastTimestamp);
            return timestampMs == null || timestampMs <= 0
                    ? null
                    : Instant.ofEpochMilli(timestampMs).toString();
        }
    }

    /** Asks every broker and every member. Blocks. */
    static GroupDescription of(AdminClient admin, String group, List<GroupSettings> settings) throws ClientException {
        ConsumeStats stats = GroupLag.progress(admin, group);
        GroupMembers members = GroupMembers.of(admin, group);
        Map<MessageQueue, List<String>> owners = members.owners();
        TreeSet<MessageQueue> known = new TreeSet<>(owners.keySet());
        known.addAll(stats.offsetTable().keySet());
        List<QueueLine> lines = known.stream()
                .map(queue ->
                        new QueueLine(queue, stats.offsetTable().get(queue), owners.getOrDefault(queue, List.of())))
                .toList();
        return new GroupDescription(group, settings, members, stats.consumeTps(), lines);
    }

    /** Sentences and a table, or one object with everything. */
    void print(Printer printer) {
        if (printer.isJson()) {
            printer.json(whole());
            return;
        }
        printer.line("group " + group + ": " + members.count() + " members, "
                + (members.isBroadcasting()
                        ? "each keeps its offsets itself (broadcasting)"
                        : lag() + " messages behind"));
        members.print(printer);
        printer.rows(queues, QUEUES, "no positions yet");
    }

    private Map<String, Object> whole() {
        Map<String, Object> whole = new LinkedHashMap<>();
        whole.put("group", group);
        whole.put("lag", lag());
        whole.put("consumeTps", consumeTps);
        whole.put("settings", Printer.objects(settings, GroupSettings.COLUMNS));
        members.addTo(whole);
        whole.put("queues", Printer.objects(queues, QUEUES));
        return whole;
    }

    private long lag() {
        return queues.stream()
                .map(QueueLine::progress)
                .filter(Objects::nonNull)
                .mapToLong(QueueLine::lag)
                .sum();
    }
}
