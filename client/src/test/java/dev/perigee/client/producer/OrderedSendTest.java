package dev.perigee.client.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.perigee.client.error.Failures;
import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.World;
import dev.perigee.client.selector.MessageQueueSelector;
import dev.perigee.client.selector.SelectMessageQueueByHash;
import dev.perigee.client.selector.SelectMessageQueueByShardingKey;
import dev.perigee.client.selector.SelectMessageQueueByStableHash;
import dev.perigee.client.send.SendResult;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.ResponseCode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages of one order go to one queue, in the order in which they were sent. */
final class OrderedSendTest {
    private static final int KEYS = 10_000;

    private World world;
    private FakeBroker a;
    private FakeBroker b;
    private Producer producer;

    @BeforeEach
    void open() throws Exception {
        world = new World();
        a = world.broker("a");
        b = world.broker("b");
        world.nameServer().route("T", 4, a, b);
        producer = world.in(Producer.builder())
                .group("p")
                .instanceName("i")
                .random(new Random(1))
                .build();
        world.add(producer.loop());
        producer.start();
    }

    private static Message message(String key, String body) {
        return Message.builder("T").body(body).orderKey(key).build();
    }

    @Test
    void messagesOfOneKeyShareAQueueAndKeepTheirOrder() {
        Map<String, List<CompletableFuture<SendResult>>> byKey = new HashMap<>();
        for (int i = 0; i < 200; i++) {
            String key = "order-" + i % 20;
            byKey.computeIfAbsent(key, k -> new ArrayList<>()).add(producer.sendOrderedAsync(message(key, "m" + i)));
        }
        world.settle();
        Set<MessageQueue> used = new HashSet<>();
        byKey.forEach((key, sent) -> {
            Set<MessageQueue> queues = new HashSet<>();
            long last = -1;
            for (CompletableFuture<SendResult> one : sent) {
                SendResult result = one.join();
                queues.add(result.queue());
                assertThat(result.queueOffset()).isGreaterThan(last);
                last = result.queueOffset();
            }
            assertThat(queues).as(key).hasSize(1);
            used.addAll(queues);
        });
        assertThat(used).hasSizeGreaterThan(4);
    }

    @Test
    void orderSurvivesABrokerThatIsBusy() {
        int[] refusals = {3};
        a.onSend(sent -> refusals[0]-- > 0 ? ResponseCode.SYSTEM_BUSY : null);
        b.onSend(sent -> refusals[0]-- > 0 ? ResponseCode.SYSTEM_BUSY : null);
        List<CompletableFuture<SendResult>> sent = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            sent.add(producer.sendOrderedAsync(message("k", "m" + i)));
        }
        world.run(2_500, 10);
        for (int i = 0; i < 10; i++) {
            assertThat(sent.get(i).join().queueOffset()).isEqualTo(i);
        }
        assertThat(producer.metrics().retries()).isPositive();
    }

    @Test
    void theKeyTravelsWithTheMessage() {
        CompletableFuture<SendResult> sent = producer.sendOrderedAsync(message("order-7", "m"));
        world.settle();
        SendResult result = sent.join();
        FakeBroker broker = result.queue().brokerName().equals("a") ? a : b;
        byte[] frame = broker.log().frame("T", result.queue().queueId(), 0);
        assertThat(new String(frame, StandardCharsets.UTF_8))
                .contains(PropertyText.of(Map.of(PropertyKey.SHARDING_KEY, "order-7"))
                        .toString());
    }

    @Test
    void aMessageWithoutAKeyCannotBeSentInOrder() {
        CompletableFuture<SendResult> sent = producer.sendOrderedAsync(Message.of("T", "m"));
        assertThat(sent).isCompletedExceptionally();
        for (Throwable failure : List.of(
                Failures.unwrap(catchThrowable(sent::join)),
                catchThrowable(() -> producer.sendOrdered(Message.of("T", "m"))))) {
            assertThat(failure).isInstanceOf(InvalidMessageException.class).hasMessageContaining("orderKey=none");
        }
        assertThat(a.sends()).isEmpty();
        assertThat(b.sends()).isEmpty();
    }

    private static List<MessageQueue> queues(int count) {
        List<MessageQueue> queues = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            queues.add(new MessageQueue("T", i % 2 == 0 ? "a" : "b", i / 2));
        }
        return queues;
    }

    private static Map<String, MessageQueue> choices(MessageQueueSelector<String> selector, int queueCount) {
        Map<String, MessageQueue> choices = new HashMap<>();
        for (int i = 0; i < KEYS; i++) {
            String key = "order-" + i;
            choices.put(key, selector.select(queues(queueCount), message(key, "m"), key));
        }
        return choices;
    }

    @Test
    void theShardingKeyIsHashedAsStockProducersHashIt() {
        assertThat(choices(new SelectMessageQueueByShardingKey(), 7))
                .isEqualTo(choices(new SelectMessageQueueByHash<>(), 7));
        // "polygenelubricants" hashes to the smallest number there is, which has no absolute value.
        String smallest = "polygenelubricants";
        assertThat(smallest.hashCode()).isEqualTo(Integer.MIN_VALUE);
        assertThat(queues(7))
                .contains(new SelectMessageQueueByShardingKey().select(queues(7), message(smallest, "m"), smallest));
    }

    @Test
    void aStableHashMovesOnlyWhatGoesToTheNewQueue() {
        Map<String, MessageQueue> before = choices(new SelectMessageQueueByStableHash<>(), 8);
        Map<String, MessageQueue> after = choices(new SelectMessageQueueByStableHash<>(), 9);
        MessageQueue added = queues(9).get(8);
        int moved = 0;
        for (Map.Entry<String, MessageQueue> choice : before.entrySet()) {
            MessageQueue now = after.get(choice.getKey());
            if (!choice.getValue().equals(now)) {
                assertThat(now).isEqualTo(added);
                moved++;
            }
        }
        assertThat(moved).isBetween(KEYS / 9 * 8 / 10, KEYS / 9 * 12 / 10);
        Map<MessageQueue, Integer> share = new HashMap<>();
        before.values().forEach(queue -> share.merge(queue, 1, Integer::sum));
        assertThat(share.values())
                .hasSize(8)
                .allSatisfy(count -> assertThat(count).isBetween(KEYS / 8 * 8 / 10, KEYS / 8 * 12 / 10));
    }

    @Test
    void aPlainHashMovesMostKeys() {
        Map<String, MessageQueue> before = choices(new SelectMessageQueueByShardingKey(), 8);
        Map<String, MessageQueue> after = choices(new SelectMessageQueueByShardingKey(), 9);
        long moved = before.entrySet().stream()
                .filter(choice -> !choice.getValue().equals(after.get(choice.getKey())))
                .count();
        assertThat(moved).isGreaterThan(KEYS / 2);
    }
}
