package dev.perigee.namesrv.route;

import dev.perigee.loop.OwnedBy;
import dev.perigee.namesrv.route.BrokerLiveness.Live;
import dev.perigee.namesrv.route.Registration.ActingMaster;
import dev.perigee.namesrv.route.Registration.Extent;
import dev.perigee.protocol.topic.DataVersion;
import dev.perigee.protocol.topic.TopicSysFlag;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All routes of a name server.
 *
 * <p>One writer, any number of readers, no lock. The methods that change something belong to the route loop. The methods
 * that read may be called by any thread: every value in the three maps is immutable and is replaced whole, so a reader
 * sees each topic and each broker group either before or after a change, never in between. Across maps the writer keeps
 * one order: a group is put before the first topic that names it and removed after the last, so a route never shows
 * queues of a broker that it cannot give an address for. A copy of the whole table per change was not taken because its
 * cost grows with the number of topics, and a route query needs one topic only.
 *
 * <p>Pure: time comes as an argument, connections are opaque objects compared by identity.
 */
@OwnedBy("route loop")
public final class RouteTable {
    private final TopicQueues topics = new TopicQueues();
    private final Map<String, BrokerGroup> groups = new ConcurrentHashMap<>();
    private final Clusters clusters = new Clusters();
    private final BrokerLiveness liveness = new BrokerLiveness();
    private final Wipes wipes = new Wipes();
    private final Consumer<MinIdChange> minIdChanged;

    /** A table that nobody listens to. */
    public RouteTable() {
        this(change -> {});
    }

    /**
     * @param minIdChanged told on the route loop when the smallest broker id of a group is another one
     */
    public RouteTable(Consumer<MinIdChange> minIdChanged) {
        this.minIdChanged = minIdChanged;
    }

    // ---- changes: route loop only ----

    /**
     * Takes what a broker says about itself.
     *
     * @param dropUnlisted whether topics that the registration does not list are dropped although it does not say that
     *     it is complete
     */
    public Registered register(Registration registration, boolean dropUnlisted, long nowMs) {
        BrokerIdentity broker = registration.broker();
        BrokerGroup before =
                groups.getOrDefault(broker.brokerName(), BrokerGroup.empty(broker.cluster(), broker.brokerName()));
        String elsewhere = liveElsewhere(before, broker);
        if (elsewhere != null) {
            return new Registered.Refused("the broker name " + broker.brokerName() + " is used in cluster "
                    + before.cluster() + " at " + elsewhere + "; " + broker.address() + " is of cluster "
                    + broker.cluster() + ": give one of the two another brokerName");
        }
        String holder = before.address(broker.brokerId());
        if (holder == null && registration.topics().size() == 1 && registration.extent() == Extent.UNSAID) {
            return new Registered.Refused("register broker failed: id " + broker.brokerId() + " of "
                    + broker.brokerName() + " is new and announces one topic only");
        }
        if (holder != null && holdsNewer(broker, holder, registration.version())) {
            liveness.remove(broker);
            return new Registered.Superseded(holder);
        }
        clusters.add(broker.cluster(), broker.brokerName());
        if (holder != null && !holder.equals(broker.address())) {
            liveness.remove(new BrokerIdentity(broker.cluster(), broker.brokerName(), broker.brokerId(), holder));
        }
        BrokerGroup group = before.with(broker, registration.actingMaster() == ActingMaster.ON)
                .in(zoneOf(registration, before));
        groups.put(broker.brokerName(), group);
        boolean speaksForGroup = announcesTopics(registration, group);
        if (speaksForGroup) {
            takeTopics(registration, holder == null, group.actingMaster());
            if (dropUnlisted || registration.extent() == Extent.COMPLETE) {
                topics.removeUnlisted(broker.brokerName(), registration.topics().keySet());
            }
        }
        noteLive(registration, nowMs);
        MinIdChange.between(before, group, "", liveness).ifPresent(minIdChanged);
        return taken(broker, group);
    }

    /** Forgets a broker; the last one of its name takes its queues with it. */
    public void unregister(BrokerIdentity broker) {
        liveness.remove(broker);
        BrokerGroup before = groups.get(broker.brokerName());
        if (before == null) {
            return;
        }
        BrokerGroup group = before.without(broker.address());
        if (group.isEmpty()) {
            topics.changeAll(broker.brokerName(), queues -> null);
            groups.remove(broker.brokerName());
            wipes.end(broker.brokerName());
            clusters.remove(before.cluster(), broker.brokerName());
            clusters.remove(broker.cluster(), broker.brokerName());
            return;
        }
        groups.put(broker.brokerName(), group);
        if (group.actingMaster() && !group.hasMaster()) {
            topics.changeAll(broker.brokerName(), QueueSetting::withoutWrite);
        }
        MinIdChange.between(before, group, broker.address(), liveness).ifPresent(minIdChanged);
    }

    /** Forgets every broker that was heard of last over this connection. */
    public List<BrokerIdentity> linkClosed(Object link) {
        return forget(liveness.over(link));
    }

    /**
     * Forgets every broker that has been silent for longer than its timeout.
     *
     * @return their connections, to be closed, in no order
     */
    public List<Expired> expire(long nowMs) {
        List<Live> silent = liveness.silentSince(nowMs);
        forget(silent);
        return silent.stream()
                .map(entry -> new Expired(entry.broker(), nowMs - entry.lastUpdateMs(), entry.link()))
                .toList();
    }

    /**
     * A broker that was forgotten because of its silence.
     *
     * @param broker which one
     * @param silentMs how long it said nothing
     * @param link its last connection
     */
    public record Expired(BrokerIdentity broker, long silentMs, Object link) {}

    /** Notes a sign of life. */
    public void heard(BrokerIdentity broker, long nowMs, Object link) {
        liveness.heard(broker, nowMs, link);
    }

    /** The version of the last table a broker sent; empty when the broker is not known. Route loop only. */
    public Optional<DataVersion> versionOf(BrokerIdentity broker) {
        return Optional.ofNullable(liveness.find(broker)).map(Live::version);
    }

    /**
     * Clears the write permission of a broker's topics, until the broker registers something newer than it has by now.
     * Returns how many topics were touched.
     */
    public int wipeWritePerm(String brokerName) {
        group(brokerName).map(this::speaker).ifPresent(live -> wipes.begin(brokerName, live.version()));
        return topics.changeAll(brokerName, QueueSetting::withoutWrite);
    }

    /** Lets a broker's topics be read and written. Returns how many topics were touched. */
    public int addWritePerm(String brokerName) {
        wipes.end(brokerName);
        return topics.changeAll(brokerName, queues -> queues.withPerm(QueueSetting.READ_WRITE));
    }

    /** Drops a topic everywhere. */
    public void deleteTopic(String topic) {
        topics.remove(topic);
    }

    /** Drops a topic on the brokers of one cluster. */
    public void deleteTopic(String topic, String cluster) {
        for (String brokerName : clusters.namesOf(cluster)) {
            topics.change(topic, brokerName, queues -> null);
        }
    }

    /** Adds or replaces a topic's queues on brokers that are known; the others are passed over. */
    public void putTopic(String topic, Map<String, QueueSetting> queuesByBroker) {
        queuesByBroker.forEach((brokerName, queues) -> {
            if (groups.containsKey(brokerName)) {
                topics.put(topic, brokerName, queues);
            }
        });
    }

    // ---- questions: any thread ----

    /** Where a topic lives; empty when nobody has it. */
    public Optional<TopicRoute> route(String topic) {
        SortedMap<String, QueueSetting> queues = topics.find(topic);
        if (queues == null) {
            return Optional.empty();
        }
        List<BrokerGroup> brokers = new ArrayList<>(queues.size());
        for (String brokerName : queues.keySet()) {
            BrokerGroup group = groups.get(brokerName);
            if (group != null) {
                brokers.add(group);
            }
        }
        if (brokers.size() < queues.size()) {
            // A broker left between the two looks: its queues go with it.
            queues = new TreeMap<>(queues);
            queues.keySet()
                    .retainAll(brokers.stream().map(BrokerGroup::brokerName).toList());
        }
        return brokers.isEmpty() ? Optional.empty() : Optional.of(new TopicRoute(queues, List.copyOf(brokers)));
    }

    /** Every topic that has a route, in order. */
    public SortedSet<String> topics() {
        return topics.names();
    }

    /** The topics that have queues on a broker of this cluster. */
    public SortedSet<String> topicsOf(String cluster) {
        SortedSet<String> names = clusters.namesOf(cluster);
        return topics.where(queues -> !Collections.disjoint(queues.keySet(), names));
    }

    /** Topics of a unit. */
    public SortedSet<String> unitTopics() {
        return topics.where(queues -> has(queues, TopicSysFlag.UNIT));
    }

    /** Topics with subscriptions of units. */
    public SortedSet<String> unitSubTopics() {
        return topics.where(queues -> has(queues, TopicSysFlag.UNIT_SUBSCRIPTION));
    }

    /** Topics with subscriptions of units that are no topics of a unit themselves. */
    public SortedSet<String> unitSubOnlyTopics() {
        return topics.where(queues -> has(queues, TopicSysFlag.UNIT_SUBSCRIPTION) && !has(queues, TopicSysFlag.UNIT));
    }

    /** Cluster name → names of its brokers. */
    public SortedMap<String, SortedSet<String>> clusters() {
        return clusters.all();
    }

    /** Broker name → group. */
    public SortedMap<String, BrokerGroup> groups() {
        return new TreeMap<>(groups);
    }

    /** The brokers of this name; empty when none is registered. */
    public Optional<BrokerGroup> group(String brokerName) {
        return Optional.ofNullable(groups.get(brokerName));
    }

    /** How many topics have a route. */
    public int topicCount() {
        return topics.count();
    }

    /** How many brokers are live. Route loop only. */
    public int liveBrokers() {
        return liveness.size();
    }

    // ---- leaves ----

    /** The address of a live broker that has a newcomer's name in another cluster; null when there is none. */
    private @Nullable String liveElsewhere(BrokerGroup group, BrokerIdentity newcomer) {
        if (group.cluster().equals(newcomer.cluster())) {
            return null;
        }
        for (Map.Entry<Long, String> member : group.addresses().entrySet()) {
            String known = member.getValue();
            if (!known.equals(newcomer.address()) && liveness.find(group, member.getKey()) != null) {
                return known;
            }
        }
        return null;
    }

    /**
     * Of two that live the one with the higher state version stays, and the first of two masters with the same one (R32), for that one has
     * been told that it is the master. Versions of 0 say nothing: the last one stays, as brokers without epochs expect.
     */
    private boolean holdsNewer(BrokerIdentity newcomer, String holder, DataVersion version) {
        if (holder.equals(newcomer.address())) {
            return false;
        }
        Live old = liveness.find(
                new BrokerIdentity(newcomer.cluster(), newcomer.brokerName(), newcomer.brokerId(), holder));
        if (old == null) {
            return false;
        }
        long theirs = old.version().stateVersion();
        boolean isFirstMaster =
                newcomer.brokerId() == Registration.MASTER_ID && theirs > 0 && theirs == version.stateVersion();
        return theirs > version.stateVersion() || isFirstMaster;
    }

    private static boolean announcesTopics(Registration registration, BrokerGroup group) {
        long id = registration.broker().brokerId();
        return id == Registration.MASTER_ID
                || (registration.actingMaster() != ActingMaster.UNKNOWN
                        && id == group.addresses().firstKey());
    }

    private @Nullable Live speaker(BrokerGroup group) {
        return liveness.find(group, group.addresses().firstKey());
    }

    private void takeTopics(Registration registration, boolean first, boolean actingMaster) {
        BrokerIdentity broker = registration.broker();
        boolean all = first || isChanged(registration);
        boolean readOnly = actingMaster && broker.brokerId() != Registration.MASTER_ID;
        boolean wiped = wipes.stands(broker.brokerName(), registration.version()) && !first;
        registration.topics().forEach((topic, queues) -> {
            QueueSetting known = topics.find(topic, broker.brokerName());
            boolean staysWiped = wiped && known != null && !known.isWritable();
            if (all || known == null) {
                topics.put(topic, broker.brokerName(), readOnly || staysWiped ? queues.withoutWrite() : queues);
            }
        });
    }

    /**
     * A complete table is compared with the last complete one: an incremental registration in between may have moved the
     * version on without bringing every change.
     */
    private boolean isChanged(Registration registration) {
        Live entry = liveness.find(registration.broker());
        if (entry == null) {
            return true;
        }
        DataVersion known = registration.extent() == Extent.COMPLETE ? entry.completeVersion() : entry.version();
        return !registration.version().equals(known);
    }

    private void noteLive(Registration registration, long nowMs) {
        Live before = liveness.find(registration.broker());
        DataVersion completeVersion = before == null ? null : before.completeVersion();
        if (registration.extent() == Extent.COMPLETE) {
            completeVersion = registration.version();
        }
        liveness.put(new Live(
                registration.broker(),
                nowMs,
                registration.timeoutMs(),
                registration.version(),
                completeVersion,
                registration.haServerAddr(),
                registration.link()));
    }

    /** A slave that does not say where it is moves nobody. */
    private static String zoneOf(Registration registration, BrokerGroup before) {
        boolean silentSlave =
                registration.zone().isEmpty() && registration.broker().brokerId() != Registration.MASTER_ID;
        return silentSlave ? before.zone() : registration.zone();
    }

    private Registered taken(BrokerIdentity broker, BrokerGroup group) {
        String masterAddr = group.address(Registration.MASTER_ID);
        if (broker.brokerId() == Registration.MASTER_ID || masterAddr == null) {
            return new Registered.Taken("", "");
        }
        Live master = liveness.find(
                new BrokerIdentity(broker.cluster(), broker.brokerName(), Registration.MASTER_ID, masterAddr));
        return master == null ? new Registered.Taken("", "") : new Registered.Taken(masterAddr, master.haServerAddr());
    }

    private List<BrokerIdentity> forget(List<Live> entries) {
        List<BrokerIdentity> brokers = entries.stream().map(Live::broker).toList();
        brokers.forEach(this::unregister);
        return brokers;
    }

    private static boolean has(SortedMap<String, QueueSetting> queues, int flag) {
        return (queues.values().iterator().next().topicSysFlag() & flag) != 0;
    }
}
