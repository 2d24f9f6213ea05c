package dev.perigee.broker.client;

import dev.perigee.broker.group.StartPositions;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.remoting.Connection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Every connected producer and consumer, by group. Each group is an immutable value that is replaced as a whole, so
 * readers never see half a change. A client is dropped when its connection closes, when it says goodbye, or after {@link
 * #EXPIRY_MS} without a heartbeat.
 */
@ThreadSafe
public final class ClientRegistry {
    /** A client not heard of for so long is dropped, and its connection closed. */
    public static final long EXPIRY_MS = 120_000;

    /** Most groups one broker remembers of each kind; a client of one more group is ignored. */
    public static final int MAX_GROUPS = 100_000;

    /**
     * Told after the members of a consumer group changed, or what they subscribe to. On the thread that changed it, so that
     * of two changes at the same time the first may be told last: who wants the newest asks {@link #consumers(String)}.
     */
    public interface ChangeListener {
        /**
         * What a group was and what it is now.
         *
         * @param before without members when the group is new
         * @param after without members when its last one has left
         */
        void changed(ConsumerGroup before, ConsumerGroup after);
    }

    private final ConcurrentHashMap<String, ConsumerGroup> consumers = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, List<Member>> producers = new ConcurrentHashMap<>();
    private final Set<Connection> watched = ConcurrentHashMap.newKeySet();
    private final ConcurrentHashMap<String, Set<WaitingHeartbeat>> waiting = new ConcurrentHashMap<>();
    private final AtomicLong sightings = new AtomicLong();
    private final Ties producerTies = new Ties();
    private final ProducersById producersById = new ProducersById();
    private final Ties consumerTies = new Ties();
    private final SubscriptionBudget budget;
    private final ChangeListener listener;

    public ClientRegistry(ChangeListener listener) {
        this(listener, SubscriptionBudget.MAX_BYTES);
    }

    ClientRegistry(ChangeListener listener, long maxSubscriptionBytes) {
        this.listener = listener;
        this.budget = new SubscriptionBudget(maxSubscriptionBytes);
    }

    /** The place of a sighting that is made now. */
    long nextOrder() {
        return sightings.incrementAndGet();
    }

    /** A heartbeat of a client begins to wait for its groups. It is told which ones the client leaves, until it ends. */
    WaitingHeartbeat waiting(String clientId) {
        return new WaitingHeartbeat(waiting, clientId);
    }

    /** The heartbeats that wait. */
    int waitingHeartbeats() {
        return waiting.values().stream().mapToInt(Set::size).sum();
    }

    /** A producer of a group was heard of. */
    public void producerSeen(String group, Sighting sighting) {
        if (producers.size() >= MAX_GROUPS && !producers.containsKey(group)) {
            return;
        }
        producers.compute(group, (name, members) -> {
            producerTies.tie(name, sighting.connection());
            List<Member> known = members == null ? List.of() : members;
            Member producer = new Member(sighting);
            producersById.seen(known, producer);
            return withMember(known, producer);
        });
        watch(sighting.connection());
    }

    /**
     * A consumer was heard of, with its whole subscription. Tells the listener when that changed the group. Nothing changes
     * when that was long ago, and the consumer's connection has closed since, the consumer has left, or has described
     * itself again; and the group stays as a later sighting of any member described it.
     *
     * @param waited the heartbeat, when it has waited
     * @return whether there was room for the subscription
     */
    boolean consumerSeen(ConsumerData data, Sighting sighting, @Nullable WaitingHeartbeat waited) {
        if (consumers.size() >= MAX_GROUPS && !consumers.containsKey(data.groupName())) {
            return true;
        }
        Map<String, SubscriptionData> wanted = new HashMap<>();
        data.subscriptionDataSet().forEach(subscription -> wanted.put(subscription.topic(), subscription));
        ConsumerGroup[] change = new ConsumerGroup[2];
        boolean[] isLate = new boolean[1];
        consumers.compute(data.groupName(), (name, before) -> {
            isLate[0] = isLate(name, before, sighting, waited);
            if (isLate[0]) {
                return before;
            }
            SubscriptionBudget.Change room = budget.change();
            ConsumerGroup after = described(data, before == null ? nobody(data) : before, wanted, sighting, room);
            if (!room.fits()) {
                return before;
            }
            consumerTies.tie(name, sighting.connection());
            change[0] = before == null ? nobody(data) : before;
            change[1] = after;
            return after;
        });
        if (change[1] == null) {
            return isLate[0];
        }
        watch(sighting.connection());
        if (change[1].differsFrom(change[0])) {
            listener.changed(change[0], change[1]);
        }
        return true;
    }

    /** Whether what came since the sighting says more than it does. While nobody else changes the group. */
    private static boolean isLate(
            String group, @Nullable ConsumerGroup known, Sighting sighting, @Nullable WaitingHeartbeat waited) {
        if (!sighting.connection().isOpen() || (waited != null && waited.hasLeft(group))) {
            return true;
        }
        Member same = known == null ? null : known.memberOn(sighting.connection());
        return same != null && same.order() > sighting.order();
    }

    private static ConsumerGroup described(
            ConsumerData data,
            ConsumerGroup before,
            Map<String, SubscriptionData> wanted,
            Sighting sighting,
            SubscriptionBudget.Change room) {
        Member known = before.memberOn(sighting.connection());
        Map<String, SubscriptionData> own = room.replace(known == null ? Map.of() : known.subscriptions(), wanted);
        List<Member> members = withMember(before.members(), new Member(sighting, data, own));
        if (before.order() > sighting.order()) {
            return before.withMembers(members);
        }
        return new ConsumerGroup(
                data.groupName(),
                data.consumeType(),
                data.messageModel(),
                data.consumeFromWhere(),
                room.replace(before.subscriptions(), newest(before, wanted)),
                sighting.order(),
                members);
    }

    private static ConsumerGroup nobody(ConsumerData data) {
        return new ConsumerGroup(
                data.groupName(),
                data.consumeType(),
                data.messageModel(),
                data.consumeFromWhere(),
                Map.of(),
                0,
                List.of());
    }

    /** The bytes that subscriptions may take, about, of all groups together. */
    long maxSubscriptionBytes() {
        return budget.maxBytes();
    }

    /** The bytes that they take. */
    long subscriptionBytes() {
        return budget.takenBytes();
    }

    /** How many connections have a member in some group. */
    int connections() {
        return Math.max(producerTies.connections(), consumerTies.connections());
    }

    /**
     * A consumer was heard of that did not send its subscription again.
     *
     * @return whether it has to, because the group does not remember the same one
     */
    public boolean lightConsumerSeen(String group, Sighting sighting) {
        ConsumerGroup known = consumers.get(group);
        if (known == null) {
            return true;
        }
        for (Member member : known.members()) {
            if (member.connection() == sighting.connection()
                    && member.clientId().equals(sighting.clientId())) {
                member.seenAgain(sighting);
                return member.fingerprint() != sighting.fingerprint();
            }
        }
        return true;
    }

    /** A client leaves one group of each kind; a null group is none. */
    public void left(String clientId, @Nullable String producerGroup, @Nullable String consumerGroup) {
        Predicate<Member> leaving = member -> member.clientId().equals(clientId);
        if (producerGroup != null) {
            dropProducers(producerGroup, leaving);
        }
        if (consumerGroup != null) {
            waiting.getOrDefault(clientId, Set.of()).forEach(heartbeat -> heartbeat.leave(consumerGroup));
            dropConsumers(consumerGroup, leaving);
        }
    }

    /**
     * Drops who was not heard of for {@link #EXPIRY_MS} and closes those connections.
     *
     * @return when the next one can have been silent for so long
     */
    public long expire(long nowMs) {
        List<Connection> silent = new ArrayList<>();
        Predicate<Member> expired = member -> nowMs - member.seenMs() > EXPIRY_MS;
        long[] earliestMs = {nowMs};
        Consumer<Member> look = member -> {
            if (expired.test(member)) {
                silent.add(member.connection());
            } else {
                earliestMs[0] = Math.min(earliestMs[0], member.seenMs());
            }
        };
        producers.values().forEach(members -> members.forEach(look));
        consumers.values().forEach(group -> group.members().forEach(look));
        if (!silent.isEmpty()) {
            producers.keySet().forEach(group -> dropProducers(group, expired));
            consumers.keySet().forEach(group -> dropConsumers(group, expired));
            silent.forEach(connection -> connection.close("no heartbeat for " + EXPIRY_MS + " ms"));
        }
        return earliestMs[0] + EXPIRY_MS + 1;
    }

    /** The group, or null when none of its members is connected. */
    public @Nullable ConsumerGroup consumers(String group) {
        return consumers.get(group);
    }

    /** The id under which the client on a connection consumes; null when it does not. */
    public @Nullable String consumerOn(Connection connection) {
        for (String name : consumerTies.of(connection)) {
            ConsumerGroup group = consumers.get(name);
            Member member = group == null ? null : group.memberOn(connection);
            if (member != null) {
                return member.clientId();
            }
        }
        return null;
    }

    /** The producers of a group; empty when none is connected. */
    public List<Member> producers(String group) {
        return producers.getOrDefault(group, List.of());
    }

    /** The connection on which a producer with this client id was heard of last; null when none is connected. */
    public @Nullable Connection producerOf(String clientId) {
        return producersById.newest(clientId);
    }

    /** Every producer group with its members, sorted by name. */
    public Map<String, List<Member>> allProducers() {
        return new TreeMap<>(producers);
    }

    /** Every connected consumer group. */
    public Collection<ConsumerGroup> allConsumers() {
        return List.copyOf(consumers.values());
    }

    /** The connected groups that want something of a topic, sorted. */
    public Set<String> groupsOf(String topic) {
        Set<String> groups = new TreeSet<>();
        for (ConsumerGroup group : consumers.values()) {
            if (group.wants(topic)) {
                groups.add(group.name());
            }
        }
        return groups;
    }

    /** As above, but only groups whose start the broker pins. */
    public Set<String> pinnedGroupsOf(String topic) {
        Set<String> groups = groupsOf(topic);
        groups.removeIf(name -> {
            ConsumerGroup group = consumers.get(name);
            return group == null
                    || !StartPositions.isPinned(group.consumeType(), group.messageModel(), group.fromWhere());
        });
        return groups;
    }

    private void watch(Connection connection) {
        if (watched.add(connection)) {
            connection.onClose(this::closed);
        } else if (!connection.isOpen()) {
            closed(connection); // it closed between its last request and this change
        }
    }

    private void closed(Connection connection) {
        watched.remove(connection);
        Predicate<Member> gone = member -> member.connection() == connection;
        producerTies.of(connection).forEach(group -> dropProducers(group, gone));
        consumerTies.of(connection).forEach(group -> dropConsumers(group, gone));
    }

    private void dropProducers(String group, Predicate<Member> gone) {
        producers.computeIfPresent(group, (name, members) -> {
            List<Member> rest = rest(members, gone, member -> {
                producerTies.untie(name, member.connection());
                producersById.left(member);
            });
            return rest.isEmpty() ? null : rest;
        });
    }

    private static List<Member> rest(List<Member> members, Predicate<Member> gone, Consumer<Member> leaving) {
        List<Member> rest = new ArrayList<>(members.size());
        for (Member member : members) {
            if (gone.test(member)) {
                leaving.accept(member);
            } else {
                rest.add(member);
            }
        }
        return rest;
    }

    private void dropConsumers(String group, Predicate<Member> gone) {
        ConsumerGroup[] change = new ConsumerGroup[2];
        consumers.computeIfPresent(group, (name, before) -> { // also waits for a member that is just coming
            if (before.members().stream().noneMatch(gone)) {
                return before;
            }
            change[0] = before;
            change[1] = before.withMembers(
                    rest(before.members(), gone, member -> consumerTies.untie(name, member.connection())));
            SubscriptionBudget.Change room = budget.change();
            before.members().stream().filter(gone).forEach(member -> room.drop(member.subscriptions()));
            if (change[1].members().isEmpty()) {
                room.drop(before.subscriptions());
                return null;
            }
            return change[1];
        });
        if (change[0] != null) {
            listener.changed(change[0], change[1]);
        }
    }

    /** The member in place of the one on its connection, or as one more. */
    private static List<Member> withMember(List<Member> members, Member member) {
        List<Member> next = new ArrayList<>(members.size() + 1);
        boolean known = false;
        for (Member other : members) {
            if (other.connection() != member.connection()) {
                next.add(other);
            } else if (!known) {
                known = true;
                next.add(member.insteadOf(other));
            }
        }
        if (!known) {
            next.add(member);
        }
        return next;
    }

    /** The wanted topics; where the group already knows a newer version of one, that stays. */
    private static Map<String, SubscriptionData> newest(ConsumerGroup before, Map<String, SubscriptionData> wanted) {
        Map<String, SubscriptionData> next = new HashMap<>(wanted);
        next.replaceAll((topic, subscription) -> {
            SubscriptionData known = before.subscription(topic);
            return known != null && known.subVersion() > subscription.subVersion() ? known : subscription;
        });
        return next;
    }
}
