package dev.perigee.stock.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.client.consumer.PullResult;
import org.apache.rocketmq.client.consumer.PullStatus;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * A group of one member that reads all queues of a topic, commits how far it is, and every few seconds closes its consumer and begins
 * anew where the broker says it had been. One thread of its own.
 */
@SuppressWarnings("deprecation")
public final class GroupReader {
    private static final long REST_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long COMMIT_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int BATCH = 32;
    /** What the client answers when it could not ask. */
    static final long NOT_ASKED = -2;

    private final Opening opening;
    private final String topic;
    private final long reopenNs;
    private final HistoryFile file;
    private final Thread thread = new Thread(this::run, "group-reader");
    private final Map<MessageQueue, Long> positions = new HashMap<>();
    private final Map<MessageQueue, Long> committed = new HashMap<>();
    private List<MessageQueue> queues = new ArrayList<>();
    private volatile boolean ending;
    private volatile boolean stopped;

    /** How to get a started consumer of the group. */
    public interface Opening {
        /** Opens one. */
        DefaultMQPullConsumer open() throws Exception;
    }

    /** A reader whose consumer lives {@code reopenMs}. */
    public GroupReader(Opening opening, String topic, long reopenMs, HistoryFile file) {
        this.opening = opening;
        this.topic = topic;
        this.reopenNs = TimeUnit.MILLISECONDS.toNanos(reopenMs);
        this.file = file;
    }

    /** Begins to read. */
    public void start() {
        thread.start();
    }

    /** Reads on until the ends of all queues, at most so long; says whether it got there. The senders must have stopped. Blocks. */
    public boolean end(long patienceMs) throws InterruptedException {
        ending = true;
        thread.join(patienceMs);
        boolean done = !thread.isAlive();
        stopped = true;
        thread.join();
        return done;
    }

    private void run() {
        boolean done = false;
        while (!stopped && !done) {
            DefaultMQPullConsumer consumer = null;
            try {
                consumer = opening.open();
                done = readFor(consumer);
            } catch (Exception unreachable) {
                LockSupport.parkNanos(REST_NS);
            } finally {
                if (consumer != null) {
                    consumer.shutdown();
                }
            }
        }
    }

    /** Reads with one consumer; whether all is read. */
    private boolean readFor(DefaultMQPullConsumer consumer) throws Exception {
        if (queues.isEmpty()) {
            queues = new ArrayList<>(consumer.fetchSubscribeMessageQueues(topic));
            queues.sort(Comparator.naturalOrder());
        }
        for (MessageQueue queue : queues) {
            begin(consumer, queue);
        }
        if (stopped) {
            return false;
        }
        long endNs = System.nanoTime() + reopenNs;
        long commitNs = System.nanoTime() + COMMIT_NS;
        while (!stopped && System.nanoTime() < endNs) {
            boolean moved = pullRound(consumer);
            if (System.nanoTime() >= commitNs) {
                commitAll(consumer);
                commitNs = System.nanoTime() + COMMIT_NS;
            }
            if (!moved) {
                if (ending && isAtEnds(consumer)) {
                    commitAll(consumer);
                    return true;
                }
                LockSupport.parkNanos(REST_NS);
            }
        }
        commitAll(consumer);
        return false;
    }

    private void begin(DefaultMQPullConsumer consumer, MessageQueue queue) throws Exception {
        long beginUs = HistoryFile.nowUs();
        long offset = consumer.fetchConsumeOffset(queue, true);
        while (offset == NOT_ASKED && !stopped) {
            LockSupport.parkNanos(REST_NS);
            beginUs = HistoryFile.nowUs();
            offset = consumer.fetchConsumeOffset(queue, true);
        }
        if (offset == NOT_ASKED) {
            return;
        }
        file.line("query", queue.getQueueId(), offset, beginUs, HistoryFile.nowUs());
        positions.put(queue, Math.max(0, offset));
        committed.put(queue, offset);
    }

    private boolean pullRound(DefaultMQPullConsumer consumer) {
        boolean moved = false;
        for (MessageQueue queue : queues) {
            long offset = positions.get(queue);
            try {
                PullResult result = consumer.pull(queue, "*", offset, BATCH);
                long now = HistoryFile.nowUs();
                if (result.getPullStatus() == PullStatus.FOUND) {
                    for (MessageExt message : result.getMsgFoundList()) {
                        file.line(
                                "receive",
                                queue.getQueueId(),
                                message.getQueueOffset(),
                                Numbered.idOf(message.getBody()),
                                now);
                    }
                }
                if (result.getPullStatus() != PullStatus.NO_NEW_MSG) {
                    positions.put(queue, result.getNextBeginOffset());
                    moved |= result.getNextBeginOffset() > offset;
                }
            } catch (Exception unreachable) {
                return moved; // the others are on the same broker
            }
        }
        return moved;
    }

    private void commitAll(DefaultMQPullConsumer consumer) {
        for (MessageQueue queue : queues) {
            long offset = positions.get(queue);
            if (offset != committed.get(queue)) {
                long beginUs = HistoryFile.nowUs();
                try {
                    consumer.getOffsetStore().updateConsumeOffsetToBroker(queue, offset, false);
                    file.line("commit", queue.getQueueId(), offset, "OK", beginUs, HistoryFile.nowUs());
                    committed.put(queue, offset);
                } catch (Exception unreachable) {
                    file.line("commit", queue.getQueueId(), offset, "FAILED", beginUs, HistoryFile.nowUs());
                    return;
                }
            }
        }
    }

    private boolean isAtEnds(DefaultMQPullConsumer consumer) throws Exception {
        for (MessageQueue queue : queues) {
            if (positions.get(queue) < consumer.maxOffset(queue)) {
                return false;
            }
        }
        return true;
    }
}
