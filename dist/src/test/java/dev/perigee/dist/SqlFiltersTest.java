package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.perigee.cli.session.ExitCode;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.consumer.PushConsumerBuilder;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.queue.TopicFilter;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.rpc.ResponseCode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** SQL92 filters of Perigee's consumers: what passes is all they get, and what cannot be read is refused when they subscribe. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SqlFiltersTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String TOPIC = "filtered";
    private static final String PLAIN = "plain";
    private static final TopicFilter TWO = TopicFilter.sql("a = 2");
    private static final TopicFilter BAD = TopicFilter.sql("a = 1 ANDD b = 2");

    private final RunningUp up;
    private final Producer producer;
    private final AdminClient admin;

    SqlFiltersTest(@TempDir Path folder) throws InterruptedException {
        up = new RunningUp(folder.resolve("data"));
        producer = Producer.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .group("senders")
                .sendTimeoutMs(60_000)
                .build();
        admin = AdminClient.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .timeoutMs(60_000)
                .build();
    }

    @BeforeAll
    void starts() {
        for (String topic : List.of(TOPIC, PLAIN)) {
            Run run = up.run("topic", "create", topic, "--queues", "1");
            assertThat(run.exitCode()).as(run.toString()).isEqualTo(ExitCode.OK);
        }
        producer.start();
        admin.start();
    }

    @AfterAll
    void stops() {
        admin.close();
        producer.close();
        assertThat(up.stop()).isEqualTo(ExitCode.OK);
    }

    private void send(String topic, String body, Map<String, String> properties) throws ClientException {
        Message.Builder message = Message.builder(topic).body(body);
        properties.forEach(message::property);
        producer.send(message.build());
    }

    private PushConsumerBuilder pushing(String group, Queue<String> into) {
        return PushConsumer.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .group(group)
                .consumeFrom(ConsumeFrom.firstOffset())
                .listener(messages -> {
                    messages.forEach(message -> into.add(message.bodyText()));
                    return ConsumeResult.SUCCESS;
                });
    }

    private PullConsumer pulling(String group) {
        return PullConsumer.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .group(group)
                .consumeFrom(ConsumeFrom.firstOffset())
                .build();
    }

    /** Polls until the given one has come. */
    private static List<String> upTo(String last, PullConsumer consumer) {
        List<String> got = new ArrayList<>();
        Awaitility.await().atMost(PATIENCE).until(() -> {
            consumer.poll(1_000).stream().map(MessageExt::bodyText).forEach(got::add);
            return got.contains(last);
        });
        return got;
    }

    @Test
    void aConsumerGetsExactlyWhatItsFilterTakes() throws Exception {
        send(TOPIC, "one", Map.of("a", "1"));
        send(TOPIC, "two", Map.of("a", "2"));
        send(TOPIC, "none", Map.of());
        send(TOPIC, "other two", Map.of("a", "2"));

        Queue<String> pushed = new ConcurrentLinkedQueue<>();
        try (PushConsumer push =
                        pushing("push-two", pushed).subscribe(TOPIC, TWO).build();
                PullConsumer pull = pulling("pull-two")) {
            push.start();
            pull.subscribe(TOPIC, TWO);
            pull.start();
            assertThat(upTo("other two", pull)).containsExactly("two", "other two");
            Awaitility.await().atMost(PATIENCE).until(() -> pushed.contains("other two"));
            assertThat(pushed).containsExactlyInAnyOrder("two", "other two");
        }
    }

    private static void assertRefusedWithItsPlace(ThrowingCallable call) {
        RefusedException refused = catchThrowableOfType(RefusedException.class, call);
        assertThat(refused).isNotNull();
        assertThat(refused.code()).isEqualTo(ResponseCode.SUBSCRIPTION_PARSE_FAILED);
        assertThat(refused.remark()).contains("line 1:7 near 'ANDD'", "expected");
        assertThat(refused).hasMessageContaining("line 1:7 near 'ANDD'");
        assertThat(refused.isRetryable()).isFalse();
    }

    @Test
    void aBadExpressionIsRefusedByTheStart() throws Exception {
        try (PushConsumer push = pushing("push-bad", new ConcurrentLinkedQueue<>())
                        .subscribe(TOPIC, BAD)
                        .build();
                PullConsumer pull = pulling("pull-bad")) {
            assertRefusedWithItsPlace(push::start);
            pull.subscribe(TOPIC, BAD);
            assertRefusedWithItsPlace(pull::start);
        }
    }

    @Test
    void aRunningPushConsumerIsRefusedABadExpressionAndHasTheTopicNoMore() throws Exception {
        Queue<String> got = new ConcurrentLinkedQueue<>();
        try (PushConsumer push = pushing("push-running", got)
                .subscribe(PLAIN, "*")
                .subscribe(TOPIC, TWO)
                .build()) {
            push.start();
            assertSubscribed("push-running", PLAIN, TOPIC);
            assertRefusedWithItsPlace(() -> push.subscribe(TOPIC, BAD));
            assertSubscribed("push-running", PLAIN);
            assertThat(push.metrics().join().byQueue().keySet())
                    .noneMatch(queue -> queue.topic().equals(TOPIC));
            send(PLAIN, "push goes on", Map.of());
            Awaitility.await().atMost(PATIENCE).until(() -> got.contains("push goes on"));
        }
    }

    @Test
    void aRunningPullConsumerIsRefusedABadExpressionAndHasTheTopicNoMore() throws Exception {
        try (PullConsumer pull = pulling("pull-running")) {
            pull.subscribe(PLAIN, "*");
            pull.subscribe(TOPIC, TWO);
            pull.start();
            assertSubscribed("pull-running", PLAIN, TOPIC);
            assertRefusedWithItsPlace(() -> pull.subscribe(TOPIC, BAD));
            assertSubscribed("pull-running", PLAIN);
            assertThat(pull.assignment())
                    .isNotEmpty()
                    .allMatch(queue -> queue.topic().equals(PLAIN));
            pull.subscribe(PLAIN, "*"); // is not refused for the other topic's sake
            send(PLAIN, "pull goes on", Map.of());
            assertThat(upTo("pull goes on", pull)).contains("pull goes on");
        }
    }

    /** What the broker knows, but for the group's retry topic. */
    private void assertSubscribed(String group, String... topics) {
        Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(admin.groups().connections(group).subscriptionTable().keySet().stream()
                                .filter(topic -> !topic.startsWith("%")))
                        .containsExactlyInAnyOrder(topics));
    }
}
