package dev.perigee.namesrv.route;

import dev.perigee.namesrv.route.Registration.ActingMaster;
import dev.perigee.namesrv.route.Registration.Extent;
import dev.perigee.protocol.topic.DataVersion;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The route table told again as two flat lists of rows, searched from end to end. What the real one is compared with. */
final class PlainRoutes {
    /** A topic on a broker. */
    private record QueueRow(String topic, String brokerName, QueueSetting queues) {}

    /** A broker. */
    private record BrokerRow(
            BrokerIdentity broker,
            long heardMs,
            long timeoutMs,
            DataVersion version,
            @Nullable DataVersion complete,
            Object link) {}

    private final List<QueueRow> queues = new ArrayList<>();
    private final List<BrokerRow> brokers = new ArrayList<>();
    private final Map<String, DataVersion> wiped = new TreeMap<>();

    void register(Registration r, long nowMs) {
        BrokerIdentity who = r.broker();
        BrokerRow sameId = brokers.stream()
                .filter(row -> row.broker().brokerName().equals(who.brokerName())
                        && row.broker().brokerId() == who.brokerId())
                .findFirst()
                .orElse(null);
        if (sameId == null && r.topics().size() == 1 && r.extent() == Extent.UNSAID) {
            return;
        }
        BrokerRow sameAddress = brokers.stream()
                .filter(row -> row.broker().address().equals(who.address()))
                .findFirst()
                .orElse(null);
        brokers.removeIf(row -> row.equals(sameId) || row.equals(sameAddress));
        DataVersion lastComplete = sameAddress == null ? null : sameAddress.complete();
        boolean complete = r.extent() == Extent.COMPLETE;
        brokers.add(
                new BrokerRow(who, nowMs, r.timeoutMs(), r.version(), complete ? r.version() : lastComplete, r.link()));
        long smallest = brokers.stream()
                .filter(row -> row.broker().brokerName().equals(who.brokerName()))
                .mapToLong(row -> row.broker().brokerId())
                .min()
                .orElseThrow();
        if (who.brokerId() != 0 && (r.actingMaster() == ActingMaster.UNKNOWN || who.brokerId() != smallest)) {
            return;
        }
        DataVersion compared = sameAddress == null ? null : complete ? lastComplete : sameAddress.version();
        boolean all = sameId == null || !r.version().equals(compared);
        DataVersion atWipe = wiped.get(who.brokerName());
        boolean newer = atWipe == null
                || r.version().counter() > atWipe.counter()
                || r.version().timestamp() > atWipe.timestamp();
        if (newer) {
            wiped.remove(who.brokerName());
        }
        r.topics().forEach((topic, setting) -> {
            boolean known = queues.stream()
                    .anyMatch(
                            row -> row.topic().equals(topic) && row.brokerName().equals(who.brokerName()));
            boolean staysWiped = sameId != null
                    && !newer
                    && queues.stream()
                            .anyMatch(row -> row.topic().equals(topic)
                                    && row.brokerName().equals(who.brokerName())
                                    && !row.queues().isWritable());
            if (all || !known) {
                queues.removeIf(
                        row -> row.topic().equals(topic) && row.brokerName().equals(who.brokerName()));
                queues.add(new QueueRow(topic, who.brokerName(), staysWiped ? setting.withoutWrite() : setting));
            }
        });
        if (complete) {
            queues.removeIf(row ->
                    row.brokerName().equals(who.brokerName()) && !r.topics().containsKey(row.topic()));
        }
    }

    void unregister(BrokerIdentity who) {
        brokers.removeIf(row -> row.broker().address().equals(who.address()));
        if (brokers.stream().noneMatch(row -> row.broker().brokerName().equals(who.brokerName()))) {
            queues.removeIf(row -> row.brokerName().equals(who.brokerName()));
            wiped.remove(who.brokerName());
        }
    }

    void linkClosed(Object link) {
        List.copyOf(brokers).stream().filter(row -> row.link() == link).forEach(row -> unregister(row.broker()));
    }

    void expire(long nowMs) {
        List.copyOf(brokers).stream()
                .filter(row -> row.heardMs() + row.timeoutMs() < nowMs)
                .forEach(row -> unregister(row.broker()));
    }

    void setPerm(String brokerName, boolean writable) {
        wiped.remove(brokerName);
        brokers.stream()
                .filter(row -> !writable && row.broker().brokerName().equals(brokerName))
                .min(Comparator.comparingLong(row -> row.broker().brokerId()))
                .ifPresent(row -> wiped.put(brokerName, row.version()));
        queues.replaceAll(row -> row.brokerName().equals(brokerName)
                ? new QueueRow(
                        row.topic(),
                        brokerName,
                        row.queues().withPerm(writable ? 6 : row.queues().perm() & ~2))
                : row);
    }

    void deleteTopic(String topic) {
        queues.removeIf(row -> row.topic().equals(topic));
    }

    /** topic → broker name → queues. */
    Map<String, Map<String, QueueSetting>> routes() {
        Map<String, Map<String, QueueSetting>> routes = new TreeMap<>();
        queues.forEach(row ->
                routes.computeIfAbsent(row.topic(), topic -> new TreeMap<>()).put(row.brokerName(), row.queues()));
        return routes;
    }

    /** broker name → id → address. */
    Map<String, Map<Long, String>> addresses() {
        Map<String, Map<Long, String>> addresses = new TreeMap<>();
        brokers.forEach(row -> addresses
                .computeIfAbsent(row.broker().brokerName(), name -> new TreeMap<>())
                .put(row.broker().brokerId(), row.broker().address()));
        return addresses;
    }
}
