package dev.perigee.sim;

import dev.perigee.client.error.Completion;
import dev.perigee.client.producer.Producer;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.cluster.Exercise;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One run: a producer, a push consumer and a pull consumer work while connections break and the broker restarts or loses
 * power, all by one seed. What matters is written to a trace.
 */
final class ClusterSimulation implements Exercise.Part {
    private static final long CALM_LIMIT_MS = 180_000;

    private final Exercise exercise;
    private final Exercise.Consumers consumers;
    private final Set<String> acknowledged = new TreeSet<>();
    private final Map<String, Set<String>> seen = Map.of("push", new TreeSet<>(), "pull", new TreeSet<>());
    private int sent;
    private int answered;

    ClusterSimulation(long seed, Path folder) throws Exception {
        this.exercise = new Exercise(seed, folder, this);
        this.consumers = exercise.consumers(push -> push.listener(exercise::consume));
    }

    Set<String> acknowledged() {
        return acknowledged;
    }

    Set<String> pushed() {
        return seenBy("push");
    }

    Set<String> polled() {
        return seenBy("pull");
    }

    private Set<String> seenBy(String consumer) {
        return Objects.requireNonNull(seen.get(consumer), consumer);
    }

    List<String> trace() {
        return exercise.trace();
    }

    /** Whether every send ended, one way or the other. */
    boolean isEverySendAnswered() {
        return answered == sent;
    }

    ClusterSimulation run() throws Exception {
        exercise.producer().start();
        send(null);
        exercise.cluster().pass(1_000);
        consumers.playRounds();
        consumers.calm(CALM_LIMIT_MS);
        return this;
    }

    @Override
    public void act() throws Exception {
        Random random = exercise.random();
        Cluster cluster = exercise.cluster();
        int dice = random.nextInt(100);
        if (dice < 70) {
            int messages = 1 + random.nextInt(20);
            MessageQueue queue =
                    random.nextBoolean() ? null : new MessageQueue(Exercise.TOPIC, "broker-a", random.nextInt(2));
            for (int i = 0; i < messages; i++) {
                send(queue);
            }
        } else if (dice < 90) {
            exercise.note("break " + cluster.breakConnection(random.nextInt(1_000)));
        } else if (dice < 96) {
            exercise.note("restart");
            cluster.restartBroker();
        } else {
            exercise.note("crash");
            cluster.crashBroker();
        }
    }

    private void send(@Nullable MessageQueue queue) {
        String body = "m" + sent++;
        Message message =
                Message.builder(Exercise.TOPIC).body(body).waitForStore(true).build();
        Producer producer = exercise.producer();
        CompletableFuture<?> result = (queue == null ? producer.sendAsync(message) : producer.sendAsync(message, queue))
                .thenAccept(stored -> exercise.note("stored " + body + " "
                        + stored.queue().queueId() + "/" + stored.queueOffset() + " " + stored.status()))
                .thenRun(() -> acknowledged.add(body));
        Completion.on(result, (ignored, failure) -> {
            answered++;
            if (failure != null) {
                exercise.note("failed " + body + " " + failure.getClass().getSimpleName());
            }
        });
    }

    @Override
    public void saw(String consumer, MessageExt message) {
        seenBy(consumer).add(message.bodyText());
        exercise.note(consumer + " saw " + message.bodyText());
    }

    @Override
    public boolean isDone() {
        return isEverySendAnswered() && pushed().containsAll(acknowledged) && polled().containsAll(acknowledged);
    }
}
