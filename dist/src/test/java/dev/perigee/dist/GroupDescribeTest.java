package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.session.ExitCode;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.consumer.PushConsumerBuilder;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** {@code group describe} with members that are really there. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GroupDescribeTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Path folder;
    private final RunningUp up;
    private final AdminClient admin;

    GroupDescribeTest(@TempDir Path folder) throws InterruptedException {
        this.folder = folder;
        up = new RunningUp(folder.resolve("data"));
        admin = AdminClient.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .timeoutMs(60_000)
                .build();
    }

    @BeforeAll
    void starts() {
        admin.start();
    }

    @AfterAll
    void stops() {
        admin.close();
        assertThat(up.stop()).isEqualTo(ExitCode.OK);
    }

    private PushConsumerBuilder member(String group, String name) {
        return PushConsumer.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .instanceName(name)
                .group(group)
                .consumeFrom(ConsumeFrom.firstOffset())
                .listener(messages -> ConsumeResult.SUCCESS);
    }

    private Run run(String... words) {
        Run run = up.run(words);
        assertThat(run.exitCode()).as(run.toString()).isEqualTo(ExitCode.OK);
        return run;
    }

    private Map<?, ?> described(String group) throws Exception {
        return run("group", "describe", group, "--json").object();
    }

    private static List<Map<?, ?>> list(Map<?, ?> object, String member) {
        List<Map<?, ?>> maps = new ArrayList<>();
        for (Object each : (List<?>) Objects.requireNonNull(object.get(member), () -> member + " in " + object)) {
            maps.add((Map<?, ?>) each);
        }
        return maps;
    }

    /** The ids of those that read queues of the topic, a queue each. */
    private List<Object> readers(String group, String topic) throws Exception {
        List<Object> readers = new ArrayList<>();
        for (Map<?, ?> queue : list(described(group), "queues")) {
            if (topic.equals(queue.get("topic")) && queue.get("owners") instanceof List<?> owners) {
                readers.addAll(owners);
            }
        }
        return readers;
    }

    @Test
    void membersTheirSubscriptionsTheirQueuesAndWhereTheyDifferAreShown() throws Exception {
        admin.topics().createOrUpdate(TopicConfig.of("differ", 2));
        try (PushConsumer red =
                        member("differ-g", "red").subscribe("differ", "red").build();
                PushConsumer blue = member("differ-g", "blue")
                        .subscribe("differ", "blue || green")
                        .build()) {
            red.start();
            blue.start();
            Awaitility.await()
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(readers("differ-g", "differ"))
                            .containsExactlyInAnyOrder(red.clientId(), blue.clientId()));

            Map<?, ?> whole = described("differ-g");
            assertThat(list(whole, "members")).hasSize(2).allSatisfy(each -> {
                Map<?, ?> wanted = list(each, "subscriptions").stream()
                        .filter(one -> "differ".equals(one.get("topic")))
                        .findFirst()
                        .orElseThrow();
                String expression = red.clientId().equals(each.get("clientId")) ? "red" : "blue || green";
                assertThat(wanted.get("expression")).isEqualTo(expression);
                assertThat(list(each, "queues"))
                        .anySatisfy(queue -> assertThat(queue.get("topic")).isEqualTo("differ"));
                assertThat(each.get("brokers")).isEqualTo(List.of(up.broker()));
            });
            assertThat(whole.get("conflicts"))
                    .isEqualTo(
                            Map.of("differ", Map.of(red.clientId(), "TAG red", blue.clientId(), "TAG blue || green")));
            assertThat(run("group", "describe", "differ-g").out())
                    .contains("2 members, 0 messages behind")
                    .containsPattern(red.clientId() + " from 127.0.0.1:\\d+, JAVA V\\S+: differ \\(TAG red\\)")
                    .contains("the members want different things of topic differ:")
                    .contains(red.clientId() + " wants TAG red", blue.clientId() + " wants TAG blue || green")
                    .contains("Read by");
        }
        assertThat(run("group", "describe", "differ-g").out())
                .contains("0 members")
                .doesNotContain("different");
    }

    @Test
    void eachMemberOfABroadcastingGroupReadsEveryQueue() throws Exception {
        admin.topics().createOrUpdate(TopicConfig.of("everyone", 1));
        try (PushConsumer one = member("everyone-g", "one")
                        .subscribe("everyone", "*")
                        .model(MessageModel.BROADCASTING)
                        .offsetFolder(folder.resolve("offsets"))
                        .build();
                PushConsumer other = member("everyone-g", "other")
                        .subscribe("everyone", "*")
                        .model(MessageModel.BROADCASTING)
                        .offsetFolder(folder.resolve("offsets"))
                        .build()) {
            one.start();
            other.start();
            Awaitility.await()
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(readers("everyone-g", "everyone"))
                            .containsExactlyInAnyOrder(one.clientId(), other.clientId()));
            assertThat(run("group", "describe", "everyone-g").out())
                    .contains("2 members, each keeps its offsets itself (broadcasting)");

            Run reset = run("group", "reset-offset", "everyone-g", "--topic", "everyone", "--to-begin");
            assertThat(reset.out())
                    .contains("group everyone-g consumes by broadcasting and has no offsets at the brokers");
            assertThat(admin.groups().offset("everyone-g", new MessageQueue("everyone", "broker-a", 0)))
                    .isEmpty();
        }
    }

    @Test
    void aMemberThatGivesNoAnswerIsShownWithTheReason() throws Exception {
        admin.groups().createOrUpdate(SubscriptionGroupConfig.of("mute-g"));
        ConsumerData mute = new ConsumerData(
                "mute-g",
                ConsumeType.CONSUME_PASSIVELY,
                MessageModel.CLUSTERING,
                ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET,
                Set.of(SubscriptionData.ofTags("mute", "*", 1)),
                false);
        HeartbeatData heartbeat = new HeartbeatData("mute-c", Set.of(), Set.of(mute), 0, false);
        try (EventLoops loops = EventLoops.start("mute", 1);
                RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system())) {
            client.callBlocking(
                    up.broker(),
                    Rpcs.HEART_BEAT,
                    NoHeader.NONE,
                    Json.write(heartbeat),
                    Deadline.after(Clock.system(), 60_000));

            Map<?, ?> member = list(described("mute-g"), "members").get(0);
            assertThat(member.get("clientId")).isEqualTo("mute-c");
            assertThat(String.valueOf(member.get("silence"))).contains("307");
            assertThat(member.containsKey("subscriptions")).isFalse();
            assertThat(run("group", "describe", "mute-g").out())
                    .contains("mute-c from 127.0.0.1:")
                    .contains("did not say what it reads: ");
        }
    }
}
