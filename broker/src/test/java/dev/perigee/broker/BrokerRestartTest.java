package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.SubscriptionGroupTable;
import dev.perigee.protocol.header.group.AllGroupConfigHeader;
import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.header.topic.AllTopicConfigHeader;
import dev.perigee.protocol.header.topic.TopicConfigHeader;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.TopicConfigTable;
import dev.perigee.store.disk.Folders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the broker knows survives a restart, also when nothing but the log is left. */
class BrokerRestartTest {
    @TempDir
    Path folder;

    @Test
    void everythingIsTheSameAfterARestart() throws Exception {
        List<String> before = fillAndDescribe();
        try (TestBroker again = new TestBroker(folder, Map.of())) {
            assertThat(describe(again)).isEqualTo(before);
        }
    }

    @Test
    void everythingIsTheSameWhenOnlyTheLogIsLeft() throws Exception {
        List<String> before = fillAndDescribe();
        keepOnlyTheLog();
        try (TestBroker again = new TestBroker(folder, Map.of())) {
            assertThat(describe(again)).isEqualTo(before);
        }
    }

    @Test
    void aDeletedTopicTakesItsMessagesAndOffsetsWithIt() throws Exception {
        try (TestBroker broker = new TestBroker(folder, Map.of())) {
            broker.send("T", 0, "old");
            broker.heartbeat("c", "g", ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET, "T");
            broker.call(Rpcs.UPDATE_CONSUMER_OFFSET, new UpdateOffsetHeader("g", "T", 0, 1), null);
            assertThat(broker.call(Rpcs.DELETE_TOPIC_IN_BROKER, new TopicHeader("T"), null)
                            .code())
                    .isZero();
            assertThat(broker.call(Rpcs.GET_TOPIC_CONFIG, new TopicConfigHeader("T", null), null)
                            .code())
                    .isEqualTo(ResponseCode.TOPIC_NOT_EXIST);
            assertThat(broker.call(Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader("g", "T", 0, null), null)
                            .code())
                    .isEqualTo(ResponseCode.QUERY_NOT_FOUND);
            assertThat(broker.send("T", 0, "new").require().queueOffset()).isZero();
            assertThat(TestBroker.bodies(broker.pull("g", "T", 0, 0))).containsExactly("new");
        }
        keepOnlyTheLog();
        try (TestBroker again = new TestBroker(folder, Map.of())) {
            assertThat(TestBroker.bodies(again.pull("g", "T", 0, 0))).containsExactly("new");
        }
    }

    @Test
    void aSettingChangedByAToolOutlivesTheRestart() throws Exception {
        byte[] change = "brokerPermission=4\nautoCreateTopicEnable=false".getBytes(StandardCharsets.UTF_8);
        try (TestBroker broker = new TestBroker(folder, Map.of())) {
            assertThat(broker.call(Rpcs.UPDATE_BROKER_CONFIG, NoHeader.NONE, change)
                            .code())
                    .isZero();
        }
        try (TestBroker again = new TestBroker(folder, Map.of("brokerPermission", "6"))) {
            assertThat(settings(again))
                    .contains("brokerPermission=4\n", "autoCreateTopicEnable=false\n")
                    .contains("listenPort=" + again.broker.port() + "\n", "brokerIP1=127.0.0.1\n");
            assertThat(again.send("Unknown", 0, "m").code()).isEqualTo(ResponseCode.TOPIC_NOT_EXIST);
        }
    }

    private static String settings(TestBroker broker) throws Exception {
        return new String(
                broker.call(Rpcs.GET_BROKER_CONFIG, NoHeader.NONE, null).body(), StandardCharsets.UTF_8);
    }

    private List<String> fillAndDescribe() throws Exception {
        try (TestBroker broker = new TestBroker(folder, Map.of())) {
            for (int i = 0; i < 10; i++) {
                broker.send("T", i % 4, "m" + i, "KEYS=k" + i + ";");
            }
            broker.send("Gone", 0, "m");
            broker.call(Rpcs.DELETE_TOPIC_IN_BROKER, new TopicHeader("Gone"), null);
            broker.heartbeat("c", "g", ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET, "T");
            broker.heartbeat("d", "h", ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET, "T", "Later");
            broker.call(Rpcs.UPDATE_CONSUMER_OFFSET, new UpdateOffsetHeader("h", "T", 0, 2), null);
            broker.call(Rpcs.UPDATE_CONSUMER_OFFSET, new UpdateOffsetHeader("g", "T", 0, 1), null);
            return describe(broker);
        }
    }

    private static List<String> describe(TestBroker broker) throws Exception {
        List<String> all = new ArrayList<>();
        TopicConfigTable topics = Json.read(
                broker.call(Rpcs.GET_ALL_TOPIC_CONFIG, new AllTopicConfigHeader(null, null, null), null)
                        .body(),
                TopicConfigTable.class);
        all.add(topics.topicConfigTable().toString());
        SubscriptionGroupTable groups = Json.read(
                broker.call(Rpcs.GET_ALL_SUBSCRIPTIONGROUP_CONFIG, new AllGroupConfigHeader(null, null, null), null)
                        .body(),
                SubscriptionGroupTable.class);
        all.add(groups.subscriptionGroupTable().toString());
        for (String group : List.of("g", "h")) {
            for (int queueId = 0; queueId < 5; queueId++) {
                for (String topic : List.of("T", "Later", "Gone")) {
                    var answer = broker.call(
                            Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader(group, topic, queueId, null), null);
                    all.add(group + topic + queueId + " " + answer.code() + " " + answer.header());
                }
            }
        }
        for (int queueId = 0; queueId < 4; queueId++) {
            all.add(TestBroker.bodies(broker.pull("g", "T", queueId, 0)).toString());
        }
        all.add(new String(
                broker.call(Rpcs.GET_ALL_CONSUMER_OFFSET, NoHeader.NONE, null).body(), StandardCharsets.UTF_8));
        return all;
    }

    private void keepOnlyTheLog() throws IOException {
        try (Stream<Path> children = Files.list(folder)) {
            for (Path child : children.toList()) {
                if (!child.getFileName().toString().equals("commitlog")) {
                    Folders.delete(child);
                }
            }
        }
    }
}
