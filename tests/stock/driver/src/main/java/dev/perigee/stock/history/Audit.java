package dev.perigee.stock.history;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.client.consumer.PullResult;
import org.apache.rocketmq.client.consumer.PullStatus;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;

/** Reads all that a topic holds, from the first offset to the last, and writes it down. */
@SuppressWarnings("deprecation")
public final class Audit {
    private static final long REST_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int BATCH = 32;

    private final DefaultMQPullConsumer consumer;
    private final HistoryFile file;
    private final long endNs;

    /** An audit that tries again for so long when the broker does not answer. */
    public Audit(DefaultMQPullConsumer consumer, HistoryFile file, long patienceMs) {
        this.consumer = consumer;
        this.file = file;
        this.endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMs);
    }

    /** How many messages there are. Blocks. */
    public long read(String topic) throws Exception {
        List<MessageQueue> queues = again(() -> consumer.fetchSubscribeMessageQueues(topic).stream()
                .sorted()
                .collect(Collectors.toList()));
        long found = 0;
        for (MessageQueue queue : queues) {
            found += read(queue);
        }
        return found;
    }

    private long read(MessageQueue queue) throws Exception {
        long found = 0;
        long end = again(() -> consumer.maxOffset(queue));
        for (long offset = again(() -> consumer.minOffset(queue)); offset < end; ) {
            long from = offset;
            PullResult result = again(() -> consumer.pull(queue, "*", from, BATCH));
            if (result.getPullStatus() == PullStatus.FOUND) {
                for (MessageExt message : result.getMsgFoundList()) {
                    file.line(
                            "stored", queue.getQueueId(), message.getQueueOffset(), Numbered.idOf(message.getBody()));
                    found++;
                }
            }
            if (result.getNextBeginOffset() <= offset && System.nanoTime() >= endNs) {
                throw new MQClientException("queue " + queue + " cannot be read beyond " + offset, null);
            }
            offset = Math.max(offset, result.getNextBeginOffset());
        }
        return found;
    }

    private <T> T again(Question<T> question) throws Exception {
        while (true) {
            try {
                return question.ask();
            } catch (Exception unreachable) {
                if (System.nanoTime() >= endNs) {
                    throw unreachable;
                }
                LockSupport.parkNanos(REST_NS);
            }
        }
    }

    /** Something asked of the broker. */
    private interface Question<T> {
        T ask() throws Exception;
    }
}
