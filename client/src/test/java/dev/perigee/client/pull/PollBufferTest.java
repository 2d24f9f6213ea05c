package dev.perigee.client.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.codec.MessageReader;
import dev.perigee.client.fake.World;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.queue.FlowGate;
import dev.perigee.client.queue.FlowLimits;
import dev.perigee.client.queue.ProcessQueue;
import dev.perigee.client.queue.PullCalls;
import dev.perigee.client.queue.PullStyle;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.client.queue.Subscriptions;
import dev.perigee.client.queue.TopicLimits;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class PollBufferTest {
    private static final InetSocketAddress HOST = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

    private final Queue<PollBuffer.Fetched> consumed = new ConcurrentLinkedQueue<>();
    private final AtomicInteger roomMade = new AtomicInteger();
    private final PollBuffer buffer = new PollBuffer(consumed::add, roomMade::incrementAndGet);

    private static QueuePuller puller() throws Exception {
        World world = new World();
        ClientInstance client = world.instance("c");
        PullStyle style = new PullStyle(PullStyle.Kind.LITE_PULL, 10, 1 << 20, 1_000, 2_000);
        PullCalls calls = new PullCalls(client, "g", style, new MessageReader());
        QueuePuller.Sink nobody = new QueuePuller.Sink() {
            @Override
            public void arrived(QueuePuller from, List<ProcessQueue.Slot> slots) {}

            @Override
            public void moved(QueuePuller from, long newOffset) {}

            @Override
            public void unknownToBroker(QueuePuller from) {}
        };
        FlowGate gate = new FlowGate(FlowLimits.DEFAULT, TopicLimits.OFF);
        return new QueuePuller(
                new MessageQueue("T", "a", 0),
                0,
                new QueuePuller.Parts(
                        calls, new Subscriptions(world.clock()), gate, client.loop(), world.clock(), nobody));
    }

    private static PollBuffer.Fetched batch(QueuePuller from, long offset, int messages, int sizeBytes) {
        List<MessageExt> all = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            long at = offset + i;
            all.add(new MessageExt(
                    Message.of("T", "m"), "a", 0, at, at * 100, sizeBytes, 0, 0, HOST, 0, HOST, 0, 0, 0));
        }
        return new PollBuffer.Fetched(from, from.generation(), List.of(), all);
    }

    @Test
    void aBatchCountsAsConsumedOnceWhenPollCommitAndCloseMeet() throws Exception {
        QueuePuller from = puller();
        int rounds = 2_000;
        for (int i = 0; i < rounds; i++) {
            buffer.add(batch(from, i, 1, 100));
        }
        ExecutorService threads = Executors.newFixedThreadPool(3);
        CyclicBarrier together = new CyclicBarrier(3);
        List<Future<?>> ends = new ArrayList<>();
        ends.add(threads.submit(() -> {
            together.await();
            for (int i = 0; i < rounds; i++) {
                buffer.finishOut();
                assertThat(buffer.next(0)).hasSize(1);
            }
            return null;
        }));
        for (int t = 0; t < 2; t++) {
            ends.add(threads.submit(() -> {
                together.await();
                for (int i = 0; i < rounds; i++) {
                    buffer.finishOut();
                }
                return null;
            }));
        }
        for (Future<?> end : ends) {
            end.get(60, TimeUnit.SECONDS);
        }
        threads.shutdown();
        buffer.finishOut();
        assertThat(consumed).hasSize(rounds).doesNotHaveDuplicates();
    }

    @Test
    void twoPollsAtATimeLoseNoBatch() throws Exception {
        QueuePuller from = puller();
        buffer.add(batch(from, 0, 1, 100));
        buffer.add(batch(from, 1, 1, 100));
        buffer.next(0);
        buffer.next(0);
        assertThat(consumed).hasSize(1);
        buffer.finishOut();
        assertThat(consumed).hasSize(2);
    }

    @Test
    void whatCameBeforeASeekIsNotGivenAnyMore() throws Exception {
        QueuePuller from = puller();
        buffer.add(batch(from, 0, 2, 100));
        assertThat(buffer.firstOffset(from)).hasValue(0);
        from.seek(7);
        assertThat(buffer.firstOffset(from)).isEmpty();
        assertThat(buffer.next(0)).isEmpty();
        buffer.add(batch(from, 7, 2, 100));
        from.drop();
        assertThat(buffer.next(0)).isEmpty();
        assertThat(consumed).isEmpty();
    }

    @Test
    void aFullBufferSaysOnceThatThereIsRoomAgain() throws Exception {
        QueuePuller from = puller();
        for (int i = 0; i < 10; i++) {
            buffer.add(batch(from, i * 1_000L, 1_000, 100));
        }
        assertThat(buffer.hasRoom()).isFalse();
        assertThat(roomMade).hasValue(0);
        buffer.next(0);
        assertThat(buffer.hasRoom()).isTrue();
        buffer.next(0);
        assertThat(roomMade).hasValue(1);
    }

    @Test
    void bytesFillTheBufferToo() throws Exception {
        QueuePuller from = puller();
        buffer.add(batch(from, 0, 2, 200 << 20));
        assertThat(buffer.hasRoom()).isTrue();
        buffer.add(batch(from, 2, 1, 112 << 20));
        assertThat(buffer.hasRoom()).isFalse();
        from.seek(9);
        buffer.dropVoid();
        assertThat(buffer.hasRoom()).isTrue();
        assertThat(roomMade).hasValue(1);
    }

    @Test
    void aPollWaitsAsLongAsItWasToldForAMessageAndNoLongerThanItTakes() throws Exception {
        long beganNs = System.nanoTime();
        assertThat(buffer.next(30)).isEmpty();
        assertThat(System.nanoTime() - beganNs).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(30));

        ExecutorService thread = Executors.newSingleThreadExecutor();
        Future<List<MessageExt>> poll = thread.submit(() -> buffer.next(60_000));
        buffer.add(batch(puller(), 0, 1, 100));
        assertThat(poll.get(60, TimeUnit.SECONDS)).hasSize(1);
        thread.shutdown();
    }

    @Test
    void closingEndsAPollUnderWay() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        Future<List<MessageExt>> poll = thread.submit(() -> buffer.next(60_000));
        buffer.close();
        assertThat(poll.get(60, TimeUnit.SECONDS)).isEmpty();
        thread.shutdown();
    }
}
