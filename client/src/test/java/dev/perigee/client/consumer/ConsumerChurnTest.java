package dev.perigee.client.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.protocol.message.MessageExt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Members with a listener that come, leave and die. */
final class ConsumerChurnTest {
    private static final int QUEUES = 6;
    private static final int ROUNDS = 60;

    private final ConsumerWorld all = new ConsumerWorld(QUEUES);
    private final Map<String, PushConsumer> members = new HashMap<>();
    private final Map<String, Integer> deliveries = new HashMap<>();
    /** What was delivered and not committed when a member came or went. */
    private final Set<String> inFlight = new HashSet<>();

    private final Map<Integer, List<Long>> order = new HashMap<>();
    private int sent;
    private int joined;

    ConsumerChurnTest() throws Exception {}

    private ConsumeResult consume(List<MessageExt> messages) {
        for (MessageExt message : messages) {
            deliveries.merge(message.bodyText(), 1, Integer::sum);
            order.computeIfAbsent(message.queueId(), ignored -> new ArrayList<>())
                    .add(message.queueOffset());
        }
        return ConsumeResult.SUCCESS;
    }

    private void join(boolean isOrderly) {
        String name = "c" + joined++;
        PushConsumerBuilder builder = all.builder(name);
        members.put(
                name, all.start(isOrderly ? builder.orderlyListener(this::consume) : builder.listener(this::consume)));
    }

    private void noteInFlight() {
        for (int queue = 0; queue < QUEUES; queue++) {
            long committed = all.broker.offsets().getOrDefault("g@T@" + queue, 0L);
            for (long offset = committed; offset < all.broker.log().endOffset("T", queue); offset++) {
                inFlight.add(queue + "-" + offset);
            }
        }
    }

    /** Somebody comes, leaves or, if wanted, dies; calls that wait are made meanwhile. */
    private void change(Random random, boolean isOrderly, boolean mayDie) {
        noteInFlight();
        if (members.size() < 2 || (members.size() < 5 && random.nextBoolean())) {
            join(isOrderly);
        } else {
            String name = List.copyOf(members.keySet()).get(random.nextInt(members.size()));
            PushConsumer gone = Objects.requireNonNull(members.remove(name));
            if (!mayDie || random.nextBoolean()) {
                all.world.await(gone.closeAsync(), 30_000);
            }
            all.world.remove(gone.loop());
            gone.close();
        }
        all.run(2_000, 200);
    }

    private void churn(long seed, boolean isOrderly, boolean mayDie) {
        Random random = new Random(seed);
        join(isOrderly);
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < 20; i++) {
                int queue = random.nextInt(QUEUES);
                all.append(queue, queue + "-" + all.broker.log().endOffset("T", queue));
                sent++;
            }
            all.world.settle();
            for (int calls = random.nextInt(30); calls > 0 && !all.calls.isEmpty(); calls--) {
                all.callNext();
            }
            if (random.nextInt(3) == 0) {
                change(random, isOrderly, mayDie);
            }
        }
        all.run(90_000, 1_000); // the lock of a member that died lasts a minute
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void whenMembersLeaveInGoodOrderNothingIsLostAndNothingComesTwice(long seed) {
        churn(seed, true, false);

        assertThat(deliveries).hasSize(sent);
        deliveries.values().removeIf(times -> times == 1);
        assertThat(deliveries).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void whenMembersDieNothingIsLostAndOnlyWhatWasInFlightComesTwice(long seed) {
        churn(seed, false, true);

        assertThat(deliveries).hasSize(sent);
        deliveries.values().removeIf(times -> times == 1);
        assertThat(inFlight).containsAll(deliveries.keySet());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void anOrderlyQueueNeverSkipsAMessageWhoeverDies(long seed) {
        churn(seed, true, true);

        assertThat(deliveries).hasSize(sent);
        order.forEach((queue, offsets) -> {
            long highest = -1;
            for (long offset : offsets) {
                assertThat(offset).as("queue %s, all %s", queue, offsets).isLessThanOrEqualTo(highest + 1);
                highest = Math.max(highest, offset);
            }
        });
    }
}
