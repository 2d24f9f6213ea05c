package dev.perigee.client.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.codec.MessageReader;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.World;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.queue.FlowGate.FlowCounts;
import dev.perigee.client.queue.FlowGate.Hold;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class FlowGateTest {
    private static final InetSocketAddress HOST = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    private static final MessageQueue QUEUE = new MessageQueue("T", "a", 0);
    private static final FlowLimits LIMITS = new FlowLimits(3, 1_000, 10);

    /** A cache with messages of 100 bytes at these offsets. */
    private static ProcessQueue cache(long... offsets) {
        ProcessQueue cache = new ProcessQueue(0);
        List<MessageExt> messages = LongStream.of(offsets)
                .mapToObj(at ->
                        new MessageExt(Message.of("T", "m"), "b", 0, at, at * 100, 100, 0, 0, HOST, 0, HOST, 0, 0, 0))
                .toList();
        cache.add(messages, 0);
        return cache;
    }

    @Test
    void aQueueIsHeldByEachOfItsLimitsOnceItIsExceeded() {
        FlowGate gate = new FlowGate(LIMITS, TopicLimits.OFF);
        assertThat(gate.check(QUEUE, cache(0, 1, 2))).isEqualTo(Hold.NONE);
        assertThat(gate.check(QUEUE, cache(0, 1, 2, 3))).isEqualTo(Hold.COUNT);
        assertThat(gate.check(QUEUE, cache(0, 10))).isEqualTo(Hold.NONE);
        assertThat(gate.check(QUEUE, cache(0, 11))).isEqualTo(Hold.SPAN);
        FlowGate bytes = new FlowGate(new FlowLimits(100, 200, 100), TopicLimits.OFF);
        assertThat(bytes.check(QUEUE, cache(0, 1))).isEqualTo(Hold.NONE);
        assertThat(bytes.check(QUEUE, cache(0, 1, 2))).isEqualTo(Hold.BYTES);
    }

    @Test
    void aHoldIsCountedOnceHoweverOftenItIsLookedAt() {
        FlowGate gate = new FlowGate(LIMITS, TopicLimits.OFF);
        gate.check(QUEUE, cache(0, 1, 2, 3));
        gate.check(QUEUE, cache(0, 1, 2, 3));
        assertThat(gate.holdOf(QUEUE)).isEqualTo(Hold.COUNT);
        gate.check(QUEUE, cache(0));
        assertThat(gate.holdOf(QUEUE)).isEqualTo(Hold.NONE);
        gate.check(QUEUE, cache(0, 1, 2, 3));
        gate.check(QUEUE, cache(0, 11));
        assertThat(gate.counts(QUEUE)).isEqualTo(new FlowCounts(2, 0, 1, 0));
    }

    @Test
    void aLimitOfTheTopicIsAboveZeroOrOff() {
        assertThatThrownBy(() -> new TopicLimits(0, -1)).hasMessageContaining("maxCount=0");
        assertThatThrownBy(() -> new TopicLimits(-1, 0)).hasMessageContaining("maxBytes=0");
        assertThatThrownBy(() -> new TopicLimits(-1, -1, 0)).hasMessageContaining("maxSpan=0");
        assertThat(new TopicLimits(2, -1).isExceeded(cache(0, 1), 8))
                .as("a share is never below one message")
                .isTrue();
        assertThat(new TopicLimits(2, -1).isExceeded(cache(0), 8)).isFalse();
        assertThat(new TopicLimits(-1, 400).isExceeded(cache(0, 1), 2)).isFalse();
        assertThat(new TopicLimits(-1, 400).isExceeded(cache(0, 1, 2), 2)).isTrue();
        assertThat(new TopicLimits(-1, -1, 20).isExceeded(cache(0, 10), 2)).isFalse();
        assertThat(new TopicLimits(-1, -1, 20).isExceeded(cache(0, 11), 2)).isTrue();
        assertThat(new TopicLimits(-1, -1, 2).isExceeded(cache(0, 1), 8))
                .as("a share is never below a span of one")
                .isFalse();
        assertThat(TopicLimits.OFF.isExceeded(cache(0, 1, 200), 2)).isFalse();
    }

    /** Two queues with 100 messages each, pulled by 10; nobody finishes any. */
    private static final class Flow implements QueuePuller.Sink {
        private final World world = new World();
        private final QueuePuller.Parts parts;

        Flow(FlowGate gate) throws Exception {
            FakeBroker broker = world.broker("a");
            world.nameServer().route("T", 2, broker);
            for (int i = 0; i < 200; i++) {
                broker.log().append("T", i % 2, "m" + i, "");
            }
            ClientInstance client = world.instance("c");
            world.await(client.routes().get("T"), 1_000);
            Subscriptions subscriptions = new Subscriptions(world.clock());
            subscriptions.put("T", "*");
            PullStyle style = new PullStyle(PullStyle.Kind.LITE_PULL, 10, 1 << 20, 1_000, 2_000);
            PullCalls calls = new PullCalls(client, "g", style, new MessageReader());
            this.parts = new QueuePuller.Parts(calls, subscriptions, gate, client.loop(), world.clock(), this);
        }

        QueuePuller pull(int queueId) {
            QueuePuller puller = new QueuePuller(new MessageQueue("T", "a", queueId), 0, parts);
            puller.pull();
            return puller;
        }

        @Override
        public void arrived(QueuePuller from, List<ProcessQueue.Slot> slots) {}

        @Override
        public void moved(QueuePuller from, long newOffset) {}

        @Override
        public void unknownToBroker(QueuePuller from) {}
    }

    @Test
    void queuesShareTheLimitOfTheirTopicAndGetMoreOfItWhenOneGoes() throws Exception {
        FlowGate gate = new FlowGate(FlowLimits.DEFAULT, new TopicLimits(60, -1));
        Flow flow = new Flow(gate);
        QueuePuller first = flow.pull(0);
        QueuePuller second = flow.pull(1);
        flow.world.settle();
        assertThat(first.cache().count()).isEqualTo(40);
        assertThat(second.cache().count()).isEqualTo(40);
        assertThat(gate.holdOf(first.queue())).isEqualTo(Hold.TOPIC);
        assertThat(gate.counts(first.queue())).isEqualTo(new FlowCounts(0, 0, 0, 1));

        second.drop();
        flow.world.settle();
        assertThat(first.cache().count()).isEqualTo(70);
        assertThat(second.cache().count()).isEqualTo(40);
        assertThat(gate.counts(second.queue())).isEqualTo(FlowCounts.NONE);
    }

    @Test
    void queuesHeldForWantOfRoomGoOnTogetherWhenThereIsSome() throws Exception {
        AtomicBoolean hasRoom = new AtomicBoolean();
        FlowGate gate = new FlowGate(FlowLimits.DEFAULT, TopicLimits.OFF, hasRoom::get);
        Flow flow = new Flow(gate);
        QueuePuller first = flow.pull(0);
        QueuePuller second = flow.pull(1);
        flow.world.settle();
        assertThat(first.cache().count()).isZero();

        hasRoom.set(true);
        gate.releasedAll();
        flow.world.settle();
        assertThat(first.cache().count()).isEqualTo(100);
        assertThat(second.cache().count()).isEqualTo(100);
    }

    @Test
    void afterASeekThePullerHoldsNoMessageFromBefore() throws Exception {
        Flow flow = new Flow(new FlowGate(FlowLimits.DEFAULT, TopicLimits.OFF));
        QueuePuller puller = flow.pull(0);
        flow.world.settle();
        ProcessQueue.Slot before = puller.cache().oldest(1).get(0);
        assertThat(puller.holds(before)).isTrue();
        puller.seek(0);
        assertThat(puller.holds(before)).isFalse();
    }
}
