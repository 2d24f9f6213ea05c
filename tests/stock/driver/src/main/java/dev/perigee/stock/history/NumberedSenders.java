package dev.perigee.stock.history;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.MessageQueueSelector;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageDecoder;
import org.apache.rocketmq.common.message.MessageId;

/**
 * Threads that send one message after the other, each to one queue and at a steady pace. No message is sent twice: a send that fails is
 * written down as such, and the next message follows. Outages are not made up for by a burst.
 */
public final class NumberedSenders {
    private static final long REST_AFTER_FAILURE_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final DefaultMQProducer producer;
    private final String topic;
    private final long timeoutMs;
    private final HistoryFile file;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong acknowledged = new AtomicLong();
    private volatile boolean stopped;

    /** Senders that wait {@code timeoutMs} for each answer. */
    public NumberedSenders(DefaultMQProducer producer, String topic, long timeoutMs, HistoryFile file) {
        this.producer = producer;
        this.topic = topic;
        this.timeoutMs = timeoutMs;
        this.file = file;
    }

    /** Starts them; together they send {@code perSecond} messages a second at most. */
    public void start(int senders, int perSecond) {
        long intervalNs = TimeUnit.SECONDS.toNanos(senders) / perSecond;
        for (int i = 0; i < senders; i++) {
            int sender = i;
            Thread thread = new Thread(() -> sendAll(sender, intervalNs), "sender-" + sender);
            threads.add(thread);
            thread.start();
        }
    }

    private void sendAll(int sender, long intervalNs) {
        MessageQueueSelector own = (queues, message, argument) -> queues.get(sender % queues.size());
        long nextNs = System.nanoTime();
        for (long number = 0; !stopped; number++) {
            boolean well = send(sender, number, own);
            nextNs = Math.max(nextNs + intervalNs, System.nanoTime() - intervalNs);
            if (!well) {
                nextNs = Math.max(nextNs, System.nanoTime() + REST_AFTER_FAILURE_NS);
            }
            while (System.nanoTime() < nextNs) {
                LockSupport.parkNanos(nextNs - System.nanoTime());
            }
        }
    }

    private boolean send(int sender, long number, MessageQueueSelector selector) {
        Message message = new Message(topic, Numbered.body(sender, number));
        long beginUs = HistoryFile.nowUs();
        try {
            SendResult result = producer.send(message, selector, sender, timeoutMs);
            long endUs = HistoryFile.nowUs();
            int queueId = result.getMessageQueue().getQueueId();
            MessageId place = MessageDecoder.decodeMessageId(result.getOffsetMsgId());
            file.line(
                    "send",
                    sender,
                    number,
                    result.getSendStatus(),
                    queueId,
                    result.getQueueOffset(),
                    beginUs,
                    endUs,
                    text((InetSocketAddress) place.getAddress()),
                    place.getOffset());
            if (result.getSendStatus() == SendStatus.SEND_OK) {
                acknowledged.incrementAndGet();
                return true;
            }
        } catch (Exception failure) {
            file.line("send", sender, number, outcome(failure), -1, -1, beginUs, HistoryFile.nowUs());
        }
        return false;
    }

    private static String text(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    private static String outcome(Exception failure) {
        boolean answered = failure instanceof MQBrokerException
                || (failure instanceof MQClientException && failure.getCause() instanceof MQBrokerException);
        return answered ? "REFUSED" : "UNKNOWN";
    }

    /** Sends that were answered SEND_OK so far. */
    public long acknowledged() {
        return acknowledged.get();
    }

    /** Lets every thread end its last send. Blocks. */
    public void stop() throws InterruptedException {
        stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
