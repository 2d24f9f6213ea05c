package dev.perigee.client.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.FakeOffsets;
import dev.perigee.client.fake.World;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.listener.MessageListener;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.queue.FlowLimits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class PushConsumerSimulationTest {
    private static final String GROUP = "g";
    private static final String TOPIC = "T";

    private World world;
    private FakeBroker a;
    private FakeBroker b;

    @BeforeEach
    void twoBrokersWithFourQueuesEach() throws Exception {
        world = new World();
        a = world.broker("a");
        b = world.broker("b");
        world.nameServer().route(TOPIC, 4, a, b);
        world.nameServer().route("%RETRY%" + GROUP, 1, a);
    }

    private PushConsumer start(MessageListener listener) {
        return start(builder("c").listener(listener));
    }

    private PushConsumerBuilder builder(String name) {
        return world.in(PushConsumer.builder())
                .group(GROUP)
                .instanceName(name)
                .subscribe(TOPIC, "*")
                .consumeFrom(ConsumeFrom.firstOffset())
                .executor(Runnable::run);
    }

    private PushConsumer start(PushConsumerBuilder builder) {
        PushConsumer consumer = builder.build();
        world.add(consumer.loop());
        world.await(consumer.startAsync(), 10_000);
        return consumer;
    }

    private void append(FakeBroker broker, int queueId, String body) {
        broker.log().append(TOPIC, queueId, body, "");
    }

    @Test
    void deliversEverythingOnceAndCommitsIt() {
        List<String> got = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            append(i % 2 == 0 ? a : b, i % 4, "m" + i);
        }
        start(messages -> {
            messages.forEach(m -> got.add(m.bodyText()));
            return ConsumeResult.SUCCESS;
        });
        world.run(100, 10);
        append(a, 0, "late");
        world.run(6_000, 100);

        assertThat(got).hasSize(41).doesNotHaveDuplicates().contains("late");
        assertThat(a.offsets()).containsEntry("g@T@0", a.log().endOffset(TOPIC, 0));
        assertThat(b.offsets()).containsEntry("g@T@3", b.log().endOffset(TOPIC, 3));
    }

    @Test
    void losesNothingWhileMembersComeAndGo() {
        Map<String, Integer> deliveries = new HashMap<>();
        MessageListener listener = messages -> {
            messages.forEach(m -> deliveries.merge(m.bodyText(), 1, Integer::sum));
            return ConsumeResult.SUCCESS;
        };
        List<PushConsumer> running = new ArrayList<>();
        int sent = 0;
        for (int round = 0; round < 12; round++) {
            for (int i = 0; i < 50; i++) {
                append(i % 2 == 0 ? a : b, i % 4, "m" + sent++);
            }
            if (round % 3 == 2) {
                PushConsumer gone = running.remove(0);
                world.remove(gone.loop());
                gone.close(); // in a stepped world this is a crash: nothing is committed
            } else {
                running.add(start(builder("c" + round).listener(listener)));
            }
            world.run(2_000, 50);
        }
        world.run(30_000, 500);

        assertThat(deliveries).hasSize(sent);
        assertThat(a.memberCount(GROUP)).isEqualTo(running.size());
    }

    @Test
    void sharesQueuesAtOnceWhenAMemberJoins() {
        List<String> first = new ArrayList<>();
        List<String> second = new ArrayList<>();
        start(builder("c1").listener(messages -> {
            messages.forEach(m -> first.add(m.bodyText()));
            return ConsumeResult.SUCCESS;
        }));
        start(builder("c2").listener(messages -> {
            messages.forEach(m -> second.add(m.bodyText()));
            return ConsumeResult.SUCCESS;
        }));
        world.run(1_000, 50);
        for (int q = 0; q < 4; q++) {
            append(a, q, "a" + q);
            append(b, q, "b" + q);
        }
        world.run(200, 10);

        assertThat(first).containsExactlyInAnyOrder("a0", "a1", "a2", "a3");
        assertThat(second).containsExactlyInAnyOrder("b0", "b1", "b2", "b3");
    }

    @Test
    void keepsAMessageTheBrokerDoesNotTakeBackAndTriesItAgain() {
        List<String> seen = new ArrayList<>();
        append(a, 0, "bad");
        append(a, 0, "good");
        start(messages -> {
            String body = messages.get(0).bodyText() + messages.get(0).reconsumeTimes();
            seen.add(body);
            return body.equals("bad0") || body.equals("bad1") ? ConsumeResult.LATER : ConsumeResult.SUCCESS;
        });
        world.run(1_000, 100);
        assertThat(a.offsets().getOrDefault("g@T@0", 0L)).isZero();

        world.run(12_000, 100);

        assertThat(seen).containsExactly("bad0", "good0", "bad1", "bad2");
        assertThat(a.sendBacks()).isEqualTo(2);
        world.run(6_000, 100);
        assertThat(a.offsets()).containsEntry("g@T@0", 2L);
    }

    @Test
    void countsAMessageTheBrokerTookBackAsDone() {
        a.answerSendBack(0);
        append(a, 1, "bad");
        start(messages -> ConsumeResult.LATER);
        world.run(6_000, 100);

        assertThat(a.sendBacks()).isEqualTo(1);
        assertThat(a.offsets()).containsEntry("g@T@1", 1L);
    }

    @Test
    void stopsPullingWhenTheListenerIsSlowAndGoesOnWhenItCatchesUp() {
        List<Runnable> waiting = new ArrayList<>();
        Executor slow = waiting::add;
        for (int i = 0; i < 500; i++) {
            append(a, 2, "m" + i);
        }
        start(builder("c")
                .listener(messages -> ConsumeResult.SUCCESS)
                .executor(slow)
                .limits(new FlowLimits(100, 100L << 20, 2_000)));
        world.run(500, 10);
        assertThat(waiting).hasSizeBetween(101, 132);

        while (!waiting.isEmpty()) {
            List<Runnable> now = List.copyOf(waiting);
            waiting.clear();
            now.forEach(Runnable::run);
            world.settle();
        }
        world.run(6_000, 100);
        assertThat(a.offsets()).containsEntry("g@T@2", 500L);
    }

    @Test
    void givesOnlyMessagesWhoseTagTextMatches() {
        List<String> got = new ArrayList<>();
        a.log().append(TOPIC, 0, "yes", "TAGS\u0001AaBB\u0002");
        a.log().append(TOPIC, 0, "same hash", "TAGS\u0001BBAa\u0002");
        a.log().append(TOPIC, 0, "none", "");
        start(builder("c").subscribe(TOPIC, "AaBB || other").listener(messages -> {
            messages.forEach(m -> got.add(m.bodyText()));
            return ConsumeResult.SUCCESS;
        }));
        world.run(6_000, 100);

        assertThat(got).containsExactly("yes");
        assertThat(a.offsets()).containsEntry("g@T@0", 3L);
    }

    @Test
    void orderlyListenerSeesEachQueueInOrderAndRetriesInPlace() {
        List<String> got = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            append(a, 0, "m" + i);
        }
        start(builder("c").orderlyListener(messages -> {
            String body = messages.get(0).bodyText();
            got.add(body + "/" + messages.get(0).reconsumeTimes());
            return body.equals("m2") && messages.get(0).reconsumeTimes() < 2
                    ? ConsumeResult.LATER
                    : ConsumeResult.SUCCESS;
        }));
        world.run(8_000, 100);

        assertThat(got).containsExactly("m0/0", "m1/0", "m2/0", "m2/1", "m2/2", "m3/0", "m4/0");
        assertThat(a.offsets()).containsEntry("g@T@0", 5L);
    }

    @Test
    void orderlyQueuesMoveToAnotherMemberOnlyWhenTheirLockIsFree() {
        Map<String, String> consumedBy = new HashMap<>();
        start(builder("c1").orderlyListener(messages -> {
            consumedBy.put(messages.get(0).bodyText(), "c1");
            return ConsumeResult.SUCCESS;
        }));
        start(builder("c2").orderlyListener(messages -> {
            consumedBy.put(messages.get(0).bodyText(), "c2");
            return ConsumeResult.SUCCESS;
        }));
        world.run(3_000, 100);
        for (int q = 0; q < 4; q++) {
            append(a, q, "a" + q);
            append(b, q, "b" + q);
        }
        world.run(500, 10);

        assertThat(consumedBy).hasSize(8);
        assertThat(new TreeSet<>(consumedBy.values())).containsExactly("c1", "c2");
    }

    @Test
    void newGroupAtTheLastOffsetGetsEverythingSentAfterItsStartReturned() {
        append(a, 0, "before");
        List<String> got = new ArrayList<>();
        start(builder("c").consumeFrom(ConsumeFrom.lastOffset()).listener(messages -> {
            messages.forEach(m -> got.add(m.bodyText()));
            return ConsumeResult.SUCCESS;
        }));
        for (int i = 0; i < 100; i++) {
            append(i % 2 == 0 ? a : b, i % 4, "m" + i);
        }
        world.run(2_000, 50);

        assertThat(got).hasSize(100).doesNotContain("before");
    }

    @Test
    void whatIsSentAfterAStartThatCouldNotAskABrokerArrives() {
        append(b, 0, "before");
        world.run(10, 10);
        b.staySilentAboutOffsets();
        List<String> got = new ArrayList<>();
        PushConsumer consumer = builder("c")
                .consumeFrom(ConsumeFrom.lastOffset())
                .listener(messages -> {
                    messages.forEach(m -> got.add(m.bodyText()));
                    return ConsumeResult.SUCCESS;
                })
                .build();
        world.add(consumer.loop());
        world.await(consumer.startAsync(), 12_000);
        append(a, 0, "after, here");
        append(b, 0, "after, there");
        world.run(1_000, 100);
        assertThat(got).containsExactly("after, here");
        b.positions().answer(FakeOffsets.Question.STORED, 0);
        world.run(60_000, 500);

        assertThat(got).containsExactly("after, here", "after, there");
    }

    @Test
    void startPositionBeyondTheEndIsCorrectedAndCommitted() {
        append(a, 0, "m0");
        List<String> got = new ArrayList<>();
        PushConsumer consumer = start(messages -> {
            messages.forEach(m -> got.add(m.bodyText()));
            return ConsumeResult.SUCCESS;
        });
        world.run(6_000, 100);
        assertThat(got).containsExactly("m0");
        assertThat(world.await(consumer.metrics(), 100).consumed()).isEqualTo(1);
    }
}
