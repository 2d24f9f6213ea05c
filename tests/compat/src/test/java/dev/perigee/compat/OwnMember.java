package dev.perigee.compat;

import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.consumer.PushConsumerBuilder;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.protocol.message.MessageQueue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * One of our push consumers in a JVM of its own, so that it can be killed. Prints {@code client ID}, {@code got BODY} for each message, and
 * {@code has TOPIC BROKER QUEUE,…} whenever its queues have changed.
 */
public final class OwnMember {
    private static final long LOOK_MS = 20;

    private final PushConsumer consumer;
    private Set<MessageQueue> last = Set.of();

    private OwnMember(PushConsumer consumer) {
        this.consumer = consumer;
    }

    /** Arguments: name server, group, topics joined by commas. Runs until it is killed. */
    public static void main(String[] args) throws ClientException {
        PushConsumerBuilder builder = PushConsumer.builder()
                .nameServers(args[0])
                .group(args[1])
                .consumeFrom(ConsumeFrom.firstOffset())
                .listener(messages -> {
                    messages.forEach(message -> System.out.println("got " + message.bodyText()));
                    return ConsumeResult.SUCCESS;
                });
        for (String topic : args[2].split(",")) {
            builder.subscribe(topic, "*");
        }
        PushConsumer consumer = builder.build();
        consumer.start();
        OwnMember member = new OwnMember(consumer);
        Future<?> unused = Executors.newSingleThreadScheduledExecutor()
                .scheduleWithFixedDelay(member::tellQueues, 0, LOOK_MS, TimeUnit.MILLISECONDS);
        System.out.println("client " + consumer.clientId());
    }

    private void tellQueues() {
        Set<MessageQueue> now =
                new TreeSet<>(consumer.metrics().join().byQueue().keySet());
        if (!now.equals(last)) {
            last = now;
            System.out.println("has "
                    + now.stream()
                            .map(queue -> queue.topic() + " " + queue.brokerName() + " " + queue.queueId())
                            .collect(Collectors.joining(",")));
        }
    }
}
