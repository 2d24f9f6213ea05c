package dev.perigee.compat;

import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.harness.QueueAt;
import dev.perigee.harness.StockConsumer;
import dev.perigee.protocol.message.MessageQueue;
import java.util.Collection;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A member of a consumer group, of whatever make. */
interface GroupMember {
    /** What the broker knows it as. */
    String clientId();

    /** The queues it reads at the moment, by its own word, those of the retry topic too. */
    Set<QueueAt> owned() throws Exception;

    /** The bodies of what it got so far, also after its end. */
    Collection<String> bodies();

    /** Says goodbye. */
    void leave();

    /** A queue as the harness names it. */
    static QueueAt at(MessageQueue queue) {
        return new QueueAt(queue.topic(), queue.brokerName(), queue.queueId());
    }

    /** A stock consumer. */
    record Stock(StockConsumer consumer) implements GroupMember {
        @Override
        public String clientId() {
            return consumer.clientId();
        }

        @Override
        public Set<QueueAt> owned() {
            return Set.copyOf(consumer.owned());
        }

        @Override
        public Collection<String> bodies() {
            return consumer.bodies();
        }

        @Override
        public void leave() {
            consumer.close();
        }
    }

    /** One of ours in the JVM of the test. */
    record Own(PushConsumer consumer, Queue<String> bodies) implements GroupMember {
        @Override
        public String clientId() {
            return consumer.clientId();
        }

        @Override
        public Set<QueueAt> owned() throws Exception {
            return consumer.metrics().get(OwnBench.TIMEOUT_MS, TimeUnit.MILLISECONDS).byQueue().keySet().stream()
                    .map(GroupMember::at)
                    .collect(Collectors.toSet());
        }

        @Override
        public void leave() {
            consumer.close();
        }
    }
}
