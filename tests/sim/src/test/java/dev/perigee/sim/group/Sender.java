package dev.perigee.sim.group;

import dev.perigee.client.error.Completion;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.producer.WhenFull;
import dev.perigee.client.send.SendStatus;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.sim.cluster.Cable;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.ledger.Ledger;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Sends messages with numbered bodies and writes down which were acknowledged. */
final class Sender {
    /** Its process, as faults name it. */
    static final String NAME = "producer";

    private final String topic;
    private final Ledger ledger;
    private final Producer producer;
    private int sent;
    private int answered;

    Sender(long seed, String topic, Cluster cluster, Ledger ledger) {
        this.topic = topic;
        this.ledger = ledger;
        Cable cable = cluster.cable(NAME);
        this.producer = cluster.in(Producer.builder(), cable)
                .instanceName(NAME)
                .group("senders")
                .whenFull(WhenFull.FAIL)
                .random(new Random(seed))
                .build();
        cluster.add(producer.loop());
    }

    void start() throws Exception {
        producer.start();
    }

    /** Sends one more, to a queue or to any. */
    void send(@Nullable MessageQueue queue) {
        String body = "m" + sent++;
        Message message = Message.builder(topic).body(body).waitForStore(true).build();
        CompletableFuture<?> result = (queue == null ? producer.sendAsync(message) : producer.sendAsync(message, queue))
                .thenAccept(stored -> {
                    if (stored.status() == SendStatus.SEND_OK) {
                        ledger.acknowledge(body, stored.queue(), stored.queueOffset());
                    }
                });
        Completion.on(result, (ignored, failure) -> {
            answered++;
            if (failure != null) {
                ledger.note("failed " + body + " " + failure.getClass().getSimpleName());
            }
        });
    }

    boolean isEverySendAnswered() {
        return answered == sent;
    }
}
