package dev.perigee.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.perigee.harness.DriverException;
import dev.perigee.harness.Received;
import dev.perigee.harness.Sent;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockProducer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Requests of stock producers, answered by stock consumers. */
@SuppressWarnings("try") // consumers run while their resource is open, without being named
final class RequestScenarios {
    private static final int TIMED_OUT = 10_006;
    /** Of a request that is answered. */
    private static final int ANSWERED_MS = 60_000;
    /** Of a request that is not, and is to be sent within that time also on a busy machine. */
    private static final int UNANSWERED_MS = 5_000;

    private final Bench bench;

    RequestScenarios(Bench bench) {
        this.bench = bench;
    }

    List<Scenario> all() {
        return List.of(
                new Scenario("every way of asking gets its reply", this::everyWay),
                new Scenario("two requesters get the replies to their own requests", this::twoRequesters),
                new Scenario("a request that nobody answers says so after its time", this::unanswered),
                new Scenario("a reply that comes too late reaches nobody's next request", this::late),
                new Scenario("a reply to a requester that is gone fails at the replier", this::goneRequester));
    }

    /** A consumer that replies; the options are those of a push consumer. */
    private StockConsumer replier(String topic, String reply) {
        return bench.driver()
                .consumer(
                        Bench.fresh("group"), topic, "replier", bench.producer().name(), "reply", reply);
    }

    private StockProducer requester() {
        return bench.driver().producer(Bench.fresh("requester"));
    }

    private void everyWay() {
        String topic = bench.topic(2);
        try (StockConsumer replier = replier(topic, "reply to {body}");
                StockProducer requester = requester()) {
            int queueId = requester.queues(topic).get(1).queueId();
            String broker = requester.queues(topic).get(1).broker();
            for (String mode : List.of("sync", "async", "queue", "selector")) {
                Received reply = requester.request(
                        mode,
                        topic,
                        "body",
                        mode,
                        "timeoutMs",
                        ANSWERED_MS,
                        "broker",
                        broker,
                        "queueId",
                        queueId,
                        "argument",
                        "key",
                        "properties",
                        Map.of("colour", "grün"));
                assertThat(reply.body()).isEqualTo("reply to " + mode);
                Received request = replier.received().get(replier.received().size() - 1);
                assertThat(request.properties()).containsEntry("colour", "grün").containsKey("CLUSTER");
                for (String key : List.of("CORRELATION_ID", "REPLY_TO_CLIENT", "TTL")) {
                    assertThat(reply.properties())
                            .containsEntry(key, request.properties().get(key));
                }
                assertThat(reply.properties())
                        .containsEntry("MSG_TYPE", "reply")
                        .containsKey("PUSH_REPLY_TIME");
            }
            await("replies are told as sent")
                    .atMost(Bench.PATIENCE)
                    .until(() -> replier.replies().size() == 4);
            assertThat(replier.replies()).allMatch(Sent::isOk);
            assertThat(replier.received()).hasSize(4);
        }
    }

    private void twoRequesters() {
        String topic = bench.topic(4);
        try (StockConsumer ignored = replier(topic, "reply to {body}");
                StockProducer one = requester();
                StockProducer two = requester()) {
            // A stock client makes itself known for replies with its first request, and lets others that begin
            // meanwhile pass by.
            for (StockProducer first : List.of(one, two)) {
                assertThat(first.request("sync", topic, "body", "first", "timeoutMs", ANSWERED_MS)
                                .body())
                        .isEqualTo("reply to first");
            }
            List<CompletableFuture<Received>> replies = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                replies.add(one.requestLater("sync", topic, "body", "one " + i, "timeoutMs", ANSWERED_MS));
                replies.add(two.requestLater("async", topic, "body", "two " + i, "timeoutMs", ANSWERED_MS));
            }
            for (int i = 0; i < 20; i++) {
                assertThat(replies.get(2 * i).join().body()).isEqualTo("reply to one " + i);
                assertThat(replies.get(2 * i + 1).join().body()).isEqualTo("reply to two " + i);
            }
        }
    }

    /** Asks where nobody answers, until a request is stored: on a busy machine the first may not even be sent within its time. */
    private void askInVain(StockProducer requester, String topic, String body) {
        await("a request that is stored and has no answer")
                .atMost(Bench.PATIENCE)
                .until(() -> {
                    assertThatThrownBy(() -> requester.request("sync", topic, "body", body, "timeoutMs", 1_000))
                            .isInstanceOf(DriverException.class);
                    return bench.puller().total(topic) > 0;
                });
    }

    private void unanswered() {
        String topic = bench.topic(1);
        try (StockProducer requester = requester()) {
            askInVain(requester, topic, "to nobody");
            long before = bench.puller().total(topic);
            List<CompletableFuture<Received>> asked = Stream.of("sync", "async")
                    .map(mode -> requester.requestLater(mode, topic, "timeoutMs", UNANSWERED_MS))
                    .toList();
            for (CompletableFuture<Received> request : asked) {
                assertThatThrownBy(request::join).cause().isInstanceOfSatisfying(DriverException.class, failure -> {
                    assertThat(failure.type()).isEqualTo("RequestTimeoutException");
                    assertThat(failure.code()).isEqualTo(TIMED_OUT);
                });
            }
            assertThat(bench.puller().total(topic)).as("they were sent").isEqualTo(before + 2);
        }
    }

    private void late() {
        String topic = bench.topic(1);
        try (StockProducer requester = requester()) {
            askInVain(requester, topic, "first");
            // Nobody waits any more when the one begins who replies.
            try (StockConsumer replier = replier(topic, "late reply to {body}")) {
                await("the late reply")
                        .atMost(Bench.PATIENCE)
                        .until(() -> !replier.replies().isEmpty());
                // The requester is there and takes the reply; that nobody waits is its own affair.
                assertThat(replier.replies().get(0).isOk()).isTrue();
                replier.behave("reply", "reply to {body}");
                assertThat(requester
                                .request("sync", topic, "body", "second", "timeoutMs", ANSWERED_MS)
                                .body())
                        .isEqualTo("reply to second");
            }
        }
    }

    private void goneRequester() {
        String topic = bench.topic(1);
        try (StockProducer requester = requester()) {
            askInVain(requester, topic, "from one who leaves");
        }
        try (StockConsumer replier = replier(topic, "reply to {body}")) {
            await("the reply fails")
                    .atMost(Bench.PATIENCE)
                    .until(() -> !replier.replies().isEmpty());
            Sent reply = replier.replies().get(0);
            assertThat(reply.isOk()).as(reply.toString()).isFalse();
            assertThat(reply.error()).contains("not found");
        }
    }
}
