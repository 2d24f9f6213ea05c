package dev.perigee.stock.history;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.common.message.MessageQueue;

/** Asks again and again what the group has committed of each queue and where the queue ends. One thread of its own. */
@SuppressWarnings("deprecation")
public final class OffsetAsker {
    private final DefaultMQPullConsumer consumer;
    private final String topic;
    private final long restNs;
    private final HistoryFile file;
    private final Thread thread = new Thread(this::run, "offset-asker");
    private volatile boolean stopped;

    /** One that asks with that consumer of the group, which it closes at its end, and rests so long between two queues. */
    public OffsetAsker(DefaultMQPullConsumer consumer, String topic, long restMs, HistoryFile file) {
        this.consumer = consumer;
        this.topic = topic;
        this.restNs = TimeUnit.MILLISECONDS.toNanos(restMs);
        this.file = file;
    }

    /** Begins to ask. */
    public void start() {
        thread.start();
    }

    /** Ends with the question that is being asked. Blocks. */
    public void stop() throws InterruptedException {
        stopped = true;
        thread.join();
        consumer.shutdown();
    }

    private void run() {
        List<MessageQueue> queues = new ArrayList<>();
        for (int next = 0; !stopped; next++) {
            try {
                if (queues.isEmpty()) {
                    queues.addAll(consumer.fetchSubscribeMessageQueues(topic));
                }
                ask(queues.get(next % queues.size()));
            } catch (Exception unreachable) {
                // Nothing was told.
            }
            LockSupport.parkNanos(restNs);
        }
    }

    private void ask(MessageQueue queue) throws Exception {
        long beginUs = HistoryFile.nowUs();
        long committed = consumer.fetchConsumeOffset(queue, true);
        if (committed != GroupReader.NOT_ASKED) {
            file.line("query", queue.getQueueId(), committed, beginUs, HistoryFile.nowUs());
        }
        beginUs = HistoryFile.nowUs();
        long end = consumer.maxOffset(queue);
        file.line("end", queue.getQueueId(), end, beginUs, HistoryFile.nowUs());
    }
}
