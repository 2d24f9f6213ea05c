package dev.perigee.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.harness.Target;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.route.QueueData;
import dev.perigee.protocol.route.TopicRouteData;
import dev.perigee.protocol.topic.TopicConfig;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a broker was told about topics, groups and offsets, written down beside it: the right answers after any restart. */
final class BrokerModel {
    private final AdminClient admin;
    private final Target target;
    private final Map<String, TopicConfig> topics = new TreeMap<>();
    private final Set<String> deletedTopics = new TreeSet<>();
    private final Map<String, SubscriptionGroupConfig> groups = new TreeMap<>();
    private final Set<String> deletedGroups = new TreeSet<>();
    private final Map<String, Map<MessageQueue, Long>> offsets = new TreeMap<>();

    BrokerModel(AdminClient admin, Target target) {
        this.admin = admin;
        this.target = target;
    }

    void topic(TopicConfig config) throws ClientException {
        admin.topics().createOrUpdate(config, List.of(target.broker()));
        topics.put(config.topicName(), config);
        deletedTopics.remove(config.topicName());
    }

    void deleteTopic(String topic) throws ClientException {
        admin.topics().delete(topic);
        topics.remove(topic);
        deletedTopics.add(topic);
    }

    void group(SubscriptionGroupConfig config) throws ClientException {
        admin.groups().createOrUpdate(config, List.of(target.broker()));
        groups.put(config.groupName(), config);
        deletedGroups.remove(config.groupName());
    }

    void deleteGroup(String group) throws ClientException {
        admin.groups().delete(group, true);
        groups.remove(group);
        deletedGroups.add(group);
        offsets.remove(group);
    }

    /** Read back at once: an offset that a query returned is durable from then on. */
    void offset(String group, MessageQueue queue, long offset) throws ClientException {
        admin.groups().updateOffset(group, queue, offset);
        assertThat(admin.groups().offset(group, queue)).hasValue(offset);
        offsets.computeIfAbsent(group, name -> new HashMap<>()).put(queue, offset);
    }

    Set<String> groupNames() {
        return groups.keySet();
    }

    /** Asks broker and name server for everything that was told. */
    void check() throws ClientException {
        checkTopics();
        checkRoutes();
        checkGroups();
        checkOffsets();
    }

    private void checkTopics() throws ClientException {
        Map<String, TopicConfig> stored =
                admin.topics().allConfigs(target.broker()).topicConfigTable();
        assertThat(stored).containsAllEntriesOf(topics).doesNotContainKeys(deletedTopics.toArray(String[]::new));
        for (TopicConfig topic : topics.values()) {
            assertThat(admin.topics().config(topic.topicName(), target.broker()))
                    .isEqualTo(topic);
        }
    }

    private void checkRoutes() throws ClientException {
        assertThat(admin.topics().list())
                .containsAll(topics.keySet())
                .doesNotContainAnyElementsOf(deletedTopics.isEmpty() ? Set.of("") : deletedTopics);
        for (TopicConfig topic : topics.values()) {
            TopicRouteData route = admin.topics().route(topic.topicName());
            assertThat(route.queueDatas())
                    .as("route of %s", topic.topicName())
                    .containsExactly(new QueueData(
                            target.brokerName(),
                            topic.readQueueNums(),
                            topic.writeQueueNums(),
                            topic.perm(),
                            topic.topicSysFlag()));
            assertThat(route.brokerDatas()).singleElement().satisfies(broker -> {
                assertThat(broker.brokerName()).isEqualTo(target.brokerName());
                assertThat(broker.cluster()).isEqualTo(target.clusterName());
                assertThat(broker.brokerAddrs()).isEqualTo(Map.of(BrokerData.MASTER_ID, target.broker()));
            });
        }
    }

    private void checkGroups() throws ClientException {
        assertThat(admin.groups().allConfigs(target.broker()).subscriptionGroupTable())
                .containsAllEntriesOf(groups)
                .doesNotContainKeys(deletedGroups.toArray(String[]::new));
    }

    private void checkOffsets() throws ClientException {
        for (Map.Entry<String, Map<MessageQueue, Long>> group : offsets.entrySet()) {
            for (Map.Entry<MessageQueue, Long> place : group.getValue().entrySet()) {
                assertThat(admin.groups().offset(group.getKey(), place.getKey()))
                        .as("offset of %s on %s", group.getKey(), place.getKey())
                        .hasValue(place.getValue());
            }
        }
    }
}
