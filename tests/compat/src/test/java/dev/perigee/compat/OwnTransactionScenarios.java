package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.transaction.Settlement;
import dev.perigee.client.transaction.TransactionListener;
import dev.perigee.client.transaction.TransactionProducer;
import dev.perigee.client.transaction.TransactionResult;
import dev.perigee.client.transaction.TransactionState;
import dev.perigee.harness.scenario.Scenario;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Transactions of Perigee's own client, at any broker that asks about them within a second. Every scenario has a group of its own, so that
 * nobody else is asked about its halves.
 */
final class OwnTransactionScenarios {
    private static final String ASIDE = "TRANS_CHECK_MAX_TIME_TOPIC";
    private static final int MAX_MESSAGE_BYTES = 4 << 20;

    private final OwnBench bench;

    OwnTransactionScenarios(OwnBench bench) {
        this.bench = bench;
    }

    List<Scenario> all() {
        return List.of(
                new Scenario("a committed transaction is stored once, as it was sent", this::committed),
                new Scenario("what is rolled back is never seen and leaves no gap in the queue", this::noGap),
                new Scenario("what nobody has decided is invisible, until a check is answered", this::checked),
                new Scenario("a check may roll back", this::rolledBackByCheck),
                new Scenario("a local transaction that throws is asked about", this::thrown),
                new Scenario("a half with an immunity of its own is asked about only after it", this::immunity));
    }

    /** What only Perigee promises. */
    List<Scenario> ofPerigee() {
        return List.of(
                new Scenario("a half that has a delay is delivered that long after its commit", this::delayed),
                new Scenario(
                        "a decision that a check took before is refused with what became of the half", this::beaten),
                new Scenario(
                        "K11 a half that is never decided is asked about after its immunity, so often, and set aside",
                        this::setAside),
                new Scenario("K11 the log does not grow while a half of the largest size waits", this::large));
    }

    /** The local transactions of a scenario: what they end with is the argument of the send; what checks are told is set by body. */
    static final class Book implements TransactionListener {
        private final Map<String, TransactionState> decided = new ConcurrentHashMap<>();
        private final Queue<MessageExt> checks = new ConcurrentLinkedQueue<>();
        private final Queue<Long> checkedAtMs = new ConcurrentLinkedQueue<>();

        @Override
        public @Nullable TransactionState execute(Message message, String transactionId, @Nullable Object argument) {
            if (argument instanceof RuntimeException thrown) {
                throw thrown;
            }
            return (TransactionState) argument;
        }

        @Override
        public TransactionState check(MessageExt half) {
            checks.add(half);
            checkedAtMs.add(System.currentTimeMillis());
            return decided.getOrDefault(half.bodyText(), TransactionState.UNKNOWN);
        }

        void decide(String body, TransactionState state) {
            decided.put(body, state);
        }

        List<MessageExt> checks() {
            return List.copyOf(checks);
        }

        void awaitChecks(int count) {
            await(count + " checks").atMost(OwnBench.PATIENCE).until(() -> checks.size() >= count);
        }

        long firstCheckMs() {
            return checkedAtMs.element();
        }
    }

    private TransactionProducer producer(Book book) {
        return bench.transactions(OwnBench.fresh("tx"), book);
    }

    /**
     * What is stored when there are so many messages. A stock broker that is answered late has asked again by then and commits once more:
     * there each message counts once.
     */
    private List<MessageExt> awaitStored(AdminClient admin, String topic, int count) throws Exception {
        await(count + " messages in " + topic)
                .atMost(OwnBench.PATIENCE)
                .ignoreExceptions()
                .until(() -> counted(stored(admin, topic)).size() >= count);
        return counted(stored(admin, topic));
    }

    private List<MessageExt> counted(List<MessageExt> stored) {
        Set<String> ids = new HashSet<>();
        return bench.isStock()
                ? stored.stream().filter(each -> ids.add(each.messageId())).toList()
                : stored;
    }

    private static List<MessageExt> stored(AdminClient admin, String topic) throws Exception {
        List<MessageExt> found = new ArrayList<>();
        for (MessageQueue queue : admin.topics().queues(topic)) {
            long end = admin.topics().maxOffset(queue);
            for (long offset = 0; offset < end; offset++) {
                admin.messages().byQueueOffset(queue, offset).ifPresent(found::add);
            }
        }
        return found;
    }

    private void committed() throws Exception {
        String topic = bench.topic("tx", 4);
        Book book = new Book();
        try (AdminClient admin = bench.admin();
                TransactionProducer producer = producer(book)) {
            TransactionResult result = producer.send(
                    Message.builder(topic)
                            .body("paid")
                            .tag("tagA")
                            .keys("k1", "k2")
                            .flag(7)
                            .property("colour", "grün")
                            .build(),
                    TransactionState.COMMIT);
            assertThat(result.settlement()).as(result.toString()).isEqualTo(Settlement.ACCEPTED);
            assertThat(result.transactionId()).isEqualTo(result.sent().messageId());
            List<MessageExt> stored = awaitStored(admin, topic, 1);
            assertThat(stored).singleElement().satisfies(read -> {
                assertThat(List.of(read.bodyText(), read.messageId(), String.valueOf(read.tag())))
                        .containsExactly("paid", result.transactionId(), "tagA");
                assertThat(read.keys()).containsExactly("k1", "k2");
                assertThat(read.flag()).isEqualTo(7);
                assertThat(read.queue()).isEqualTo(result.sent().queue());
                assertThat(read.properties())
                        .containsEntry("colour", "grün")
                        .containsEntry("PGROUP", producer.producer().group());
            });
            assertThat(book.checks()).isEmpty();
        }
    }

    private void noGap() throws Exception {
        String topic = bench.topic("txgap", 1);
        try (AdminClient admin = bench.admin();
                TransactionProducer producer = producer(new Book())) {
            for (int i = 0; i < 3; i++) {
                producer.producer().send(Message.of(topic, "plain " + i));
                assertThat(producer.send(Message.of(topic, "gone " + i), TransactionState.ROLLBACK)
                                .settlement())
                        .isEqualTo(Settlement.ACCEPTED);
                assertThat(producer.send(Message.of(topic, "committed " + i), TransactionState.COMMIT)
                                .settlement())
                        .isEqualTo(Settlement.ACCEPTED);
            }
            assertThat(awaitStored(admin, topic, 6))
                    .extracting(MessageExt::bodyText)
                    .containsExactly("plain 0", "committed 0", "plain 1", "committed 1", "plain 2", "committed 2");
        }
    }

    private void checked() throws Exception {
        String topic = bench.topic("txcheck", 1);
        Book book = new Book();
        try (AdminClient admin = bench.admin();
                TransactionProducer producer = producer(book)) {
            TransactionResult result = producer.send(
                    Message.builder(topic).body("half").tag("tagA").keys("k1").build(), TransactionState.UNKNOWN);
            assertThat(result.settlement()).isEqualTo(Settlement.OPEN);
            book.awaitChecks(2);
            assertThat(stored(admin, topic)).isEmpty();
            assertThat(book.checks()).allSatisfy(half -> {
                assertThat(List.of(half.topic(), half.messageId(), String.valueOf(half.tag())))
                        .containsExactly(topic, result.transactionId(), "tagA");
                assertThat(half.keys()).containsExactly("k1");
            });
            book.decide("half", TransactionState.COMMIT);
            assertThat(awaitStored(admin, topic, 1))
                    .singleElement()
                    .satisfies(read -> assertThat(read.messageId()).isEqualTo(result.transactionId()));
        }
    }

    private void rolledBackByCheck() throws Exception {
        String topic = bench.topic("txback", 1);
        Book book = new Book();
        book.decide("gone", TransactionState.ROLLBACK);
        try (AdminClient admin = bench.admin();
                TransactionProducer producer = producer(book)) {
            producer.send(Message.of(topic, "gone"), TransactionState.UNKNOWN);
            await("the check is answered")
                    .atMost(OwnBench.PATIENCE)
                    .until(() -> producer.metrics().rolledBack() == 1);
            producer.send(Message.of(topic, "kept"), TransactionState.COMMIT);
            assertThat(awaitStored(admin, topic, 1))
                    .extracting(MessageExt::bodyText)
                    .containsExactly("kept");
        }
    }

    private void thrown() throws Exception {
        String topic = bench.topic("txthrow", 1);
        Book book = new Book();
        book.decide("thrown", TransactionState.COMMIT);
        try (AdminClient admin = bench.admin();
                TransactionProducer producer = producer(book)) {
            TransactionResult result =
                    producer.send(Message.of(topic, "thrown"), new IllegalStateException("no such order"));
            assertThat(result.settlement()).isEqualTo(Settlement.OPEN);
            assertThat(result.problem())
                    .hasValueSatisfying(problem -> assertThat(problem).hasMessage("no such order"));
            assertThat(awaitStored(admin, topic, 1))
                    .extracting(MessageExt::messageId)
                    .containsExactly(result.transactionId());
        }
    }

    private void immunity() throws Exception {
        String topic = bench.topic("tximmune", 1);
        int immuneSec = 5;
        Book book = new Book();
        book.decide("immune", TransactionState.COMMIT);
        try (AdminClient admin = bench.admin();
                TransactionProducer producer = producer(book)) {
            long sentMs = System.currentTimeMillis();
            producer.send(
                    Message.builder(topic)
                            .body("immune")
                            .firstCheckAfterSec(immuneSec)
                            .build(),
                    TransactionState.UNKNOWN);
            awaitStored(admin, topic, 1);
            assertThat(book.firstCheckMs() - sentMs).isGreaterThanOrEqualTo(immuneSec * 1_000L);
        }
    }

    private void delayed() throws Exception {
        String topic = bench.topic("txdelay", 1);
        try (AdminClient admin = bench.admin();
                TransactionProducer producer = producer(new Book())) {
            long sentMs = System.currentTimeMillis();
            producer.send(Message.builder(topic).body("later").delayMs(3_000).build(), TransactionState.COMMIT);
            MessageExt read = awaitStored(admin, topic, 1).get(0);
            assertThat(read.bodyText()).isEqualTo("later");
            assertThat(read.storeTimestampMs() - sentMs).isGreaterThanOrEqualTo(2_000);
        }
    }

    /** The local transaction takes so long that another producer of the group is asked, and answers in the meantime. */
    private void beaten() throws Exception {
        String topic = bench.topic("txbeaten", 1);
        String group = OwnBench.fresh("tx");
        Book book = new Book();
        book.decide("slow", TransactionState.ROLLBACK);
        TransactionListener slow = new TransactionListener() {
            @Override
            public TransactionState execute(Message message, String transactionId, @Nullable Object argument) {
                TransactionProducer other = Objects.requireNonNull((TransactionProducer) argument);
                await("the broker has the answer of the other")
                        .atMost(OwnBench.PATIENCE)
                        .until(() -> other.metrics().rolledBack() == 1);
                return TransactionState.COMMIT;
            }

            @Override
            public TransactionState check(MessageExt half) {
                return TransactionState.UNKNOWN;
            }
        };
        try (AdminClient admin = bench.admin();
                TransactionProducer other = bench.transactions(group, book);
                TransactionProducer producer = bench.transactions(group, slow)) {
            TransactionResult result = producer.send(Message.of(topic, "slow"), other);
            assertThat(result.settlement()).as(result.toString()).isEqualTo(Settlement.REFUSED);
            assertThat(result.problem())
                    .hasValueSatisfying(problem -> assertThat(problem).hasMessageContaining("rolled back"));
            assertThat(stored(admin, topic)).isEmpty();
        }
    }

    private void setAside() throws Exception {
        String topic = bench.topic("K11", 1);
        int immuneSec = 4;
        int checks = 3;
        Book book = new Book();
        try (AdminClient admin = bench.admin();
                TransactionProducer producer = producer(book)) {
            long sentMs = System.currentTimeMillis();
            String id = producer.send(
                            undecided(topic, "never decided".getBytes(StandardCharsets.UTF_8), checks)
                                    .withProperty("CHECK_IMMUNITY_TIME_IN_SECONDS", Integer.toString(immuneSec)),
                            TransactionState.UNKNOWN)
                    .transactionId();
            MessageExt aside = awaitAside(admin, id);
            assertThat(book.checks()).hasSize(checks);
            assertThat(book.firstCheckMs() - sentMs).isGreaterThanOrEqualTo(immuneSec * 1_000L);
            assertThat(aside.bodyText()).isEqualTo("never decided");
            assertThat(aside.properties())
                    .containsEntry("REAL_TOPIC", topic)
                    .containsEntry("TRANSACTION_CHECK_TIMES", Integer.toString(checks))
                    .containsKey("HALF_REASON");
            assertThat(stored(admin, topic)).isEmpty();
        }
    }

    /** Asked about every second and so often. */
    private static Message undecided(String topic, byte[] body, int checks) {
        return Message.of(topic, body)
                .withProperty("CHECK_INTERVAL_IN_SECONDS", "1")
                .withProperty("CHECK_MAX_TIMES", Integer.toString(checks));
    }

    private static MessageExt awaitAside(AdminClient admin, String id) throws Exception {
        await("the half is set aside")
                .atMost(OwnBench.PATIENCE)
                .ignoreExceptions()
                .until(() -> stored(admin, ASIDE).stream()
                        .anyMatch(read -> read.messageId().equals(id)));
        List<MessageExt> found = stored(admin, ASIDE).stream()
                .filter(read -> read.messageId().equals(id))
                .toList();
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    /** Others write to the same log meanwhile, but not as much as another copy of this one. */
    private void large() throws Exception {
        String topic = bench.topic("K11big", 1);
        byte[] body = new byte[MAX_MESSAGE_BYTES - 10];
        new Random(11).nextBytes(body);
        Book book = new Book();
        try (AdminClient admin = bench.admin();
                TransactionProducer producer = producer(book)) {
            String id = producer.send(undecided(topic, body, 100), TransactionState.UNKNOWN)
                    .transactionId();
            long endOffset = logEndOffset(admin);
            book.awaitChecks(4);
            assertThat(logEndOffset(admin) - endOffset).isLessThan(MAX_MESSAGE_BYTES);
            assertThat(book.checks()).allSatisfy(half -> {
                assertThat(half.messageId()).isEqualTo(id);
                assertThat(half.body()).isEqualTo(body);
            });
            book.decide(book.checks().get(0).bodyText(), TransactionState.ROLLBACK);
            await("it is rolled back")
                    .atMost(OwnBench.PATIENCE)
                    .until(() -> producer.metrics().rolledBack() == 1);
        }
    }

    private long logEndOffset(AdminClient admin) throws Exception {
        return Long.parseLong(String.valueOf(
                admin.brokers().runtimeInfo(bench.target().broker()).get("commitLogMaxOffset")));
    }
}
