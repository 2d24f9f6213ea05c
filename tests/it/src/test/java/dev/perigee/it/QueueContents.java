package dev.perigee.it;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.client.queue.Pulled;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.util.ArrayList;
import java.util.List;

/** Everything a topic holds, queue by queue. */
final class QueueContents {
    private static final int PULL = 32;

    private QueueContents() {}

    static List<MessageExt> read(PullConsumer consumer, String topic) throws ClientException {
        List<MessageExt> all = new ArrayList<>();
        for (MessageQueue queue : consumer.queues(topic)) {
            long offset = consumer.minOffset(queue);
            long end = consumer.maxOffset(queue);
            while (offset < end) {
                Pulled pulled = consumer.pull(queue, "*", offset, PULL);
                for (MessageExt message : pulled.messages()) {
                    if (message.queueOffset() != offset++) {
                        throw new IllegalStateException(
                                queue + " has a gap before " + message.queueOffset() + ", expected " + (offset - 1));
                    }
                    all.add(message);
                }
                if (pulled.messages().isEmpty()) {
                    throw new IllegalStateException(queue + " at " + offset + " of " + end + ": " + pulled);
                }
            }
        }
        return all;
    }
}
