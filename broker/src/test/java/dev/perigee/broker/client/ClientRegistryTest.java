package dev.perigee.broker.client;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.MemoryConnections;
import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.remoting.Connection;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Groups are bounded in memory, and a connection that closes costs no more than its own groups. */
final class ClientRegistryTest {
    private static final long LIMIT_BYTES = 100_000;

    private final ClientRegistry clients = new ClientRegistry((before, after) -> {}, LIMIT_BYTES);

    private Sighting sighting(String clientId, Connection connection) {
        return sighting(clientId, connection, 0);
    }

    private Sighting sighting(String clientId, Connection connection, long nowMs) {
        return new Sighting(clients.nextOrder(), clientId, connection, "JAVA", 500, 0, 0, nowMs, nowMs);
    }

    private static ConsumerData consumer(String group, String expression) {
        return consumer(group, expression, 1);
    }

    private static ConsumerData consumer(String group, String expression, long version) {
        return new ConsumerData(
                group,
                ConsumeType.CONSUME_PASSIVELY,
                MessageModel.CLUSTERING,
                ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET,
                Set.of(SubscriptionData.ofTags("T", expression, version)),
                false);
    }

    private boolean seen(String group, String expression, Connection connection) {
        return clients.consumerSeen(consumer(group, expression), sighting("c-" + group, connection), null);
    }

    @Test
    void aClosedConnectionLeavesItsOwnGroupsAndNothingOfItStays() throws Exception {
        MemoryConnections connections = new MemoryConnections(2);
        for (int i = 0; i < 2; i++) {
            seen("own" + i, "*", connections.get(i));
            seen("shared", "*", connections.get(i));
            clients.producerSeen("producers" + i, sighting("p" + i, connections.get(i)));
        }
        assertThat(clients.connections()).isEqualTo(2);

        connections.close(0);
        assertThat(clients.consumers("own0")).isNull();
        assertThat(clients.producers("producers0")).isEmpty();
        assertThat(clients.consumers("own1")).isNotNull();
        assertThat(clients.producers("producers1")).hasSize(1);
        assertThat(clients.consumers("shared"))
                .satisfies(group -> assertThat(group.members()).hasSize(1));
        assertThat(clients.connections()).isEqualTo(1);

        clients.left("c-own1", "producers1", "own1");
        clients.left("c-shared", null, "shared");
        clients.left("p1", "producers1", null);
        assertThat(clients.connections()).isZero();
        assertThat(clients.subscriptionBytes()).isZero();
    }

    /** What this thread computes, whatever else the machine does meanwhile. */
    private static long cpuNsOf(Runnable work) {
        long startNs = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        work.run();
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - startNs;
    }

    @Test
    void manyClosingConnectionsDoNotWalkAllGroups() throws Exception {
        int closing = 1_000;
        MemoryConnections connections = new MemoryConnections(closing + 1);
        for (int i = 0; i < ClientRegistry.MAX_GROUPS; i++) {
            clients.producerSeen("p" + i, sighting("many", connections.get(closing)));
        }
        for (int i = 0; i < closing; i++) {
            clients.producerSeen("p" + i, sighting("one", connections.get(i)));
        }
        long walkNs = cpuNsOf(() -> clients.expire(0)); // looks at all groups, on this machine, now
        long closingNs = cpuNsOf(() -> {
            for (int i = 0; i < closing; i++) {
                connections.close(i);
            }
        });
        assertThat(closingNs)
                .as("a walk for each takes %s times %s ns", closing, walkNs)
                .isLessThan(100 * walkNs);
        assertThat(clients.connections()).isEqualTo(1);
        assertThat(clients.producers("p0")).hasSize(1);
    }

    @Test
    void subscriptionsBeyondTheLimitAreRefusedUntilOthersLeave() throws Exception {
        MemoryConnections connections = new MemoryConnections(2);
        String large = "t".repeat(15_000); // 30 kB as the expression and as the tag
        assertThat(seen("first", large, connections.get(0))).isTrue();
        String other = "u" + large;
        assertThat(seen("second", other, connections.get(1))).isFalse();
        assertThat(clients.consumers("second")).isNull();
        assertThat(seen("second", "*", connections.get(1))).isTrue();
        assertThat(seen("first", large, connections.get(0))).isTrue();

        connections.close(0);
        assertThat(seen("second", other, connections.get(1))).isTrue();
        assertThat(clients.subscriptionBytes()).isBetween(60_000L, LIMIT_BYTES);
    }

    @Test
    void whatManyMembersWantAlikeTakesRoomOnce() throws Exception {
        int members = 50;
        MemoryConnections connections = new MemoryConnections(members);
        String large = "t".repeat(15_000);
        for (int i = 0; i < members; i++) {
            seen(consumer("g", large, i), sighting("c" + i, connections.get(i)), null);
        }
        assertThat(clients.subscriptionBytes()).isBetween(60_000L, LIMIT_BYTES);
        for (int i = 0; i < members; i++) {
            connections.close(i);
        }
        assertThat(clients.subscriptionBytes()).isZero();
    }

    @Test
    void whatIsRefusedForWantOfRoomChangesNothing() throws Exception {
        MemoryConnections connections = new MemoryConnections(2);
        seen(consumer("g", "a".repeat(10_000), 1), sighting("c0", connections.get(0)), null);
        seen(consumer("g", "b".repeat(10_000), 2), sighting("c1", connections.get(1)), null);
        long takenBytes = clients.subscriptionBytes();
        ConsumerGroup before = clients.consumers("g");

        ConsumerData larger = consumer("g", "c".repeat(20_000), 3);
        assertThat(clients.consumerSeen(larger, sighting("c1", connections.get(1)), null))
                .isFalse();

        assertThat(clients.consumers("g")).isSameAs(before);
        assertThat(clients.subscriptionBytes()).isEqualTo(takenBytes);
    }

    @Test
    void everyMemberKeepsWhatItWantsAndIsFoundByItsConnection() throws Exception {
        MemoryConnections connections = new MemoryConnections(3);
        seen(consumer("g", "A", 1), sighting("c0", connections.get(0)), null);
        seen(consumer("g", "A || B", 2), sighting("c1", connections.get(1)), null);
        seen(consumer("g", "A", 1), sighting("c0", connections.get(0)), null);

        assertThat(wanted(connections.get(0))).isEqualTo("A");
        assertThat(wanted(connections.get(1))).isEqualTo("A || B");
        assertThat(requireNonNull(clients.consumers("g")).memberOn(connections.get(2)))
                .isNull();
    }

    private String wanted(Connection connection) {
        Member member = requireNonNull(requireNonNull(clients.consumers("g")).memberOn(connection));
        return requireNonNull(member.subscription("T")).subString();
    }

    @Test
    void membersWithOtherTopicsAreNotToldAtEveryHeartbeatThatTheGroupChanged() throws Exception {
        List<Boolean> shared = new ArrayList<>();
        ClientRegistry listened = new ClientRegistry((before, after) -> shared.add(after.isOtherwiseShared(before)));
        MemoryConnections connections = new MemoryConnections(2);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 2; i++) {
                listened.consumerSeen(
                        consumerOf("T" + i),
                        new Sighting(listened.nextOrder(), "c" + i, connections.get(i), "JAVA", 500, 0, 0, 0, 0),
                        null);
            }
        }
        assertThat(shared).containsExactly(true, true);
        assertThat(listened.groupsOf("T0")).containsExactly("g");
        assertThat(listened.groupsOf("T1")).containsExactly("g");
    }

    private void seen(ConsumerData consumer, Sighting sighting, @Nullable WaitingHeartbeat waited) {
        assertThat(clients.consumerSeen(consumer, sighting, waited)).isTrue();
    }

    private static ConsumerData consumerOf(String topic) {
        return new ConsumerData(
                "g",
                ConsumeType.CONSUME_PASSIVELY,
                MessageModel.CLUSTERING,
                ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET,
                Set.of(SubscriptionData.ofTags(topic, "*", 1)),
                false);
    }

    private Set<String> topics() {
        return requireNonNull(clients.consumers("g")).subscriptions().keySet();
    }

    @Test
    void aHeartbeatThatWaitedDoesNotBringAClientBackToAGroupItHasLeft() throws Exception {
        MemoryConnections connections = new MemoryConnections(1);
        Sighting early = sighting("c", connections.get(0));
        WaitingHeartbeat waited = clients.waiting("c");
        clients.left("c", null, "g");
        seen(consumerOf("T"), early, waited);
        seen(consumer("other", "*"), early, waited);
        waited.end();

        assertThat(clients.consumers("g")).isNull();
        assertThat(clients.consumers("other")).isNotNull();
        assertThat(clients.waitingHeartbeats()).isZero();

        seen(consumerOf("T"), sighting("c", connections.get(0)), clients.waiting("c"));
        assertThat(clients.consumers("g")).as("the next heartbeat counts").isNotNull();
    }

    @Test
    void aHeartbeatThatWaitedLongerThanItsConnectionTellsNobody() throws Exception {
        List<String> told = new ArrayList<>();
        ClientRegistry listened = new ClientRegistry((before, after) -> told.add(after.name()), LIMIT_BYTES);
        MemoryConnections connections = new MemoryConnections(1);
        Sighting early = sighting("c", connections.get(0));
        connections.close(0);
        assertThat(listened.consumerSeen(consumerOf("T"), early, listened.waiting("c")))
                .isTrue();

        assertThat(told).isEmpty();
        assertThat(listened.consumers("g")).isNull();
        assertThat(listened.connections()).isZero();
        assertThat(listened.subscriptionBytes()).isZero();
    }

    @Test
    void aHeartbeatThatWaitedDoesNotTakeBackWhatALaterOneOfItsClientSaid() throws Exception {
        MemoryConnections connections = new MemoryConnections(1);
        Sighting early = sighting("c", connections.get(0));
        seen(consumerOf("New"), sighting("c", connections.get(0)), null);
        seen(consumerOf("Old"), early, clients.waiting("c"));

        assertThat(topics()).containsExactly("New");
    }

    @Test
    void aHeartbeatThatWaitedJoinsItsClientToTheGroupAsALaterOneOfAnotherClientDescribedIt() throws Exception {
        MemoryConnections connections = new MemoryConnections(2);
        Sighting early = sighting("c0", connections.get(0));
        seen(consumerOf("New"), sighting("c1", connections.get(1)), null);
        seen(consumerOf("Old"), early, clients.waiting("c0"));

        assertThat(topics()).containsExactly("New");
        assertThat(requireNonNull(clients.consumers("g")).clientIds()).containsExactlyInAnyOrder("c0", "c1");
        seen(consumerOf("Newest"), sighting("c0", connections.get(0)), null);
        assertThat(topics()).containsExactly("Newest");
    }

    @Test
    void aHeartbeatThatWaitedDoesNotMakeItsClientOlder() throws Exception {
        MemoryConnections connections = new MemoryConnections(1);
        seen(consumerOf("T"), sighting("c", connections.get(0)), null);
        Sighting early = sighting("c", connections.get(0), 1_000);
        clients.lightConsumerSeen("g", sighting("c", connections.get(0), 4_000));
        seen(consumerOf("T"), early, clients.waiting("c"));

        clients.expire(4_000 + ClientRegistry.EXPIRY_MS);
        assertThat(clients.consumers("g")).isNotNull();
        clients.expire(4_001 + ClientRegistry.EXPIRY_MS);
        assertThat(clients.consumers("g")).isNull();
    }

    @Test
    void aProducerIsFoundByItsClientIdOnTheConnectionItWasHeardOnLast() throws Exception {
        MemoryConnections connections = new MemoryConnections(2);
        clients.producerSeen("orders", sighting("c", connections.get(0)));
        clients.producerSeen("bills", sighting("c", connections.get(1)));
        assertThat(clients.producerOf("c")).isSameAs(connections.get(1));
        clients.producerSeen("orders", sighting("c", connections.get(0)));
        assertThat(clients.producerOf("c")).isSameAs(connections.get(0));

        connections.close(0);
        assertThat(clients.producerOf("c")).isSameAs(connections.get(1));
        clients.left("c", "bills", null);
        assertThat(clients.producerOf("c")).isNull();
    }

    @Test
    void aProducerIsFoundAsLongAsOneOfItsGroupsIsThere() throws Exception {
        MemoryConnections connections = new MemoryConnections(1);
        for (int i = 0; i < 3; i++) { // heartbeats come again and again
            clients.producerSeen("orders", sighting("c", connections.get(0)));
            clients.producerSeen("bills", sighting("c", connections.get(0)));
        }
        clients.left("c", "orders", null);
        assertThat(clients.producerOf("c")).isSameAs(connections.get(0));
        clients.left("c", "bills", null);
        assertThat(clients.producerOf("c")).isNull();
    }

    @Test
    void aProducerThatTakesAnotherIdOnItsConnectionIsFoundByTheNewOneOnly() throws Exception {
        MemoryConnections connections = new MemoryConnections(1);
        clients.producerSeen("orders", sighting("old", connections.get(0)));
        clients.producerSeen("orders", sighting("new", connections.get(0)));
        assertThat(clients.producerOf("old")).isNull();
        assertThat(clients.producerOf("new")).isSameAs(connections.get(0));
        clients.expire(ClientRegistry.EXPIRY_MS + 1);
        assertThat(clients.producerOf("new")).isNull();
    }
}
