package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.DeadlineExceededException;
import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.producer.Producer;
import dev.perigee.harness.scenario.Scenario;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Requests and replies of Perigee's own client, at any broker. */
@SuppressWarnings("try") // consumers run while their resource is open, without being named
final class OwnRequestScenarios {
    private static final long UNANSWERED_MS = 5_000;

    private final OwnBench bench;

    OwnRequestScenarios(OwnBench bench) {
        this.bench = bench;
    }

    List<Scenario> all() {
        return List.of(
                new Scenario("both ways of asking get their reply", this::bothWays),
                new Scenario("two requesters get the replies to their own requests", this::twoRequesters),
                new Scenario("a request that nobody answers says so after its time", this::unanswered),
                new Scenario("a reply that comes too late is dropped and counted", this::late),
                new Scenario("a reply to a requester that is gone fails at the replier", this::goneRequester),
                new Scenario("what is no request cannot be replied to", this::noRequest));
    }

    /** A consumer that replies to everything with {@code reply to} and what was asked. */
    private PushConsumer replier(Producer producer, String topic) throws Exception {
        PushConsumer consumer = bench.consumer(OwnBench.fresh("g"), topic)
                .listener(messages -> {
                    for (MessageExt request : messages) {
                        producer.reply(request, ("reply to " + request.bodyText()).getBytes(StandardCharsets.UTF_8));
                    }
                    return ConsumeResult.SUCCESS;
                })
                .build();
        consumer.start();
        return consumer;
    }

    private void bothWays() throws Exception {
        String topic = bench.topic("ask", 2);
        try (Producer replies = bench.producer();
                Producer requester = bench.producer();
                PushConsumer ignored = replier(replies, topic)) {
            Message reply = requester.request(Message.of(topic, "first"), OwnBench.TIMEOUT_MS);
            assertThat(reply.bodyText()).isEqualTo("reply to first");
            assertThat(reply.properties())
                    .containsEntry("MSG_TYPE", "reply")
                    .containsKeys("CORRELATION_ID", "PUSH_REPLY_TIME");
            assertThat(requester
                            .requestAsync(Message.of(topic, "second"), OwnBench.TIMEOUT_MS)
                            .get()
                            .bodyText())
                    .isEqualTo("reply to second");
            assertThat(requester.metrics().waitingRequests()).isZero();
            assertThat(requester.metrics().lateReplies()).isZero();
        }
    }

    private void twoRequesters() throws Exception {
        String topic = bench.topic("asktwo", 4);
        try (Producer replies = bench.producer();
                Producer one = bench.producer();
                Producer two = bench.producer();
                PushConsumer ignored = replier(replies, topic)) {
            List<CompletableFuture<Message>> answers = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                answers.add(one.requestAsync(Message.of(topic, "one " + i), OwnBench.TIMEOUT_MS));
                answers.add(two.requestAsync(Message.of(topic, "two " + i), OwnBench.TIMEOUT_MS));
            }
            for (int i = 0; i < 50; i++) {
                assertThat(answers.get(2 * i).get().bodyText()).isEqualTo("reply to one " + i);
                assertThat(answers.get(2 * i + 1).get().bodyText()).isEqualTo("reply to two " + i);
            }
        }
    }

    private void unanswered() throws Exception {
        String topic = bench.topic("asknobody", 1);
        try (Producer requester = bench.producer()) {
            requester.send(Message.of(topic, "the way there"));
            assertThatThrownBy(() -> requester.request(Message.of(topic, "anybody?"), UNANSWERED_MS))
                    .isInstanceOf(DeadlineExceededException.class)
                    .hasMessageContainingAll("reply", topic)
                    .satisfies(failure -> assertThat(((ClientException) failure).mayHaveTakenEffect())
                            .isTrue());
            assertThat(requester.metrics().waitingRequests()).isZero();
        }
    }

    /** What was asked is kept, and replied to when the requester has given up. */
    private void late() throws Exception {
        String topic = bench.topic("asklate", 1);
        Queue<MessageExt> asked = new ConcurrentLinkedQueue<>();
        try (Producer replies = bench.producer();
                Producer requester = bench.producer();
                PushConsumer ignored = keeping(topic, asked)) {
            askInVain(requester, Message.of(topic, "first"), asked);
            replies.reply(asked.remove(), "too late".getBytes(StandardCharsets.UTF_8));
            assertThat(requester.metrics().lateReplies()).isEqualTo(1);
            CompletableFuture<Message> second =
                    requester.requestAsync(Message.of(topic, "second"), OwnBench.TIMEOUT_MS);
            await("the next request").atMost(OwnBench.PATIENCE).until(() -> {
                asked.removeIf(request -> !request.bodyText().equals("second"));
                return !asked.isEmpty();
            });
            replies.reply(asked.remove(), "in time".getBytes(StandardCharsets.UTF_8));
            assertThat(second.get().bodyText()).isEqualTo("in time");
        }
    }

    /** Asks where nobody answers, until a request is there: on a busy machine the first may not even be sent within its time. */
    private static void askInVain(Producer requester, Message request, Queue<MessageExt> asked) {
        await("a request that has no answer").atMost(OwnBench.PATIENCE).until(() -> {
            assertThatThrownBy(() -> requester.request(request, 1_000)).isInstanceOf(DeadlineExceededException.class);
            return !asked.isEmpty();
        });
    }

    private PushConsumer keeping(String topic, Queue<MessageExt> into) throws Exception {
        PushConsumer consumer = bench.consumer(OwnBench.fresh("g"), topic)
                .listener(messages -> {
                    into.addAll(messages);
                    return ConsumeResult.SUCCESS;
                })
                .build();
        consumer.start();
        return consumer;
    }

    private void goneRequester() throws Exception {
        String topic = bench.topic("askgone", 1);
        Queue<MessageExt> asked = new ConcurrentLinkedQueue<>();
        try (Producer replies = bench.producer();
                PushConsumer ignored = keeping(topic, asked)) {
            try (Producer requester = bench.producer()) {
                askInVain(requester, Message.of(topic, "and gone"), asked);
            }
            assertThatThrownBy(() -> replies.reply(asked.element(), new byte[] {1}))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("not found");
        }
    }

    private void noRequest() throws Exception {
        String topic = bench.topic("asknot", 1);
        Queue<MessageExt> plain = new ConcurrentLinkedQueue<>();
        try (Producer producer = bench.producer();
                PushConsumer ignored = keeping(topic, plain)) {
            producer.send(Message.of(topic, "plain"));
            await("the message").atMost(OwnBench.PATIENCE).until(() -> plain.size() == 1);
            assertThatThrownBy(() -> producer.reply(plain.element(), new byte[] {1}))
                    .isInstanceOf(InvalidMessageException.class)
                    .hasMessageContaining("CORRELATION_ID");
        }
    }
}
