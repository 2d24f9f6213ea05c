package dev.perigee.sim;

import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.error.Completion;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.producer.WhenFull;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.sim.cluster.Cluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One run: a producer, a push consumer and a pull consumer work while connections break and the broker restarts or loses
 * power, all by one seed. What matters is written to a trace.
 */
final class ClusterSimulation {
    private static final String TOPIC = "T";
    private static final int ROUNDS = 120;
    private static final long CALM_LIMIT_MS = 180_000;

    private final Random random;
    private final Cluster cluster;
    private final List<String> trace = new ArrayList<>();
    private final Set<String> acknowledged = new TreeSet<>();
    private final Set<String> pushed = new TreeSet<>();
    private final Set<String> polled = new TreeSet<>();
    private final Producer producer;
    private final PushConsumer push;
    private final PullConsumer pull;
    private int sent;
    private int answered;

    ClusterSimulation(long seed, Path folder) throws Exception {
        this.random = new Random(seed);
        this.cluster = new Cluster(seed, folder);
        this.producer = cluster.in(Producer.builder())
                .instanceName("producer")
                .group("senders")
                .whenFull(WhenFull.FAIL)
                .random(new Random(seed))
                .build();
        this.push = cluster.in(PushConsumer.builder())
                .instanceName("push")
                .group("pushed")
                .subscribe(TOPIC, "*")
                .consumeFrom(ConsumeFrom.firstOffset())
                .executor(cluster.calls().of("push", 0))
                .listener(this::consume)
                .build();
        this.pull = cluster.in(PullConsumer.builder())
                .instanceName("pull")
                .group("polled")
                .consumeFrom(ConsumeFrom.firstOffset())
                .build();
        cluster.add(producer.loop());
        cluster.add(push.loop());
        cluster.add(pull.loop());
    }

    Set<String> acknowledged() {
        return acknowledged;
    }

    Set<String> pushed() {
        return pushed;
    }

    Set<String> polled() {
        return polled;
    }

    List<String> trace() {
        return trace;
    }

    /** Whether every send ended, one way or the other. */
    boolean isEverySendAnswered() {
        return answered == sent;
    }

    ClusterSimulation run() throws Exception {
        producer.start();
        send(null);
        cluster.pass(1_000);
        CompletableFuture<Void> pushes = push.startAsync();
        pull.subscribe(TOPIC, "*");
        CompletableFuture<Void> pulls = pull.startAsync();
        cluster.pass(5_000);
        note("started push=" + pushes.isDone() + " pull=" + pulls.isDone());
        for (int round = 0; round < ROUNDS; round++) {
            act();
            poll();
            cluster.pass(random.nextInt(400));
        }
        calm();
        return this;
    }

    private void act() throws Exception {
        int dice = random.nextInt(100);
        if (dice < 70) {
            int messages = 1 + random.nextInt(20);
            MessageQueue queue = random.nextBoolean() ? null : new MessageQueue(TOPIC, "broker-a", random.nextInt(2));
            for (int i = 0; i < messages; i++) {
                send(queue);
            }
        } else if (dice < 90) {
            note("break " + cluster.breakConnection(random.nextInt(1_000)));
        } else if (dice < 96) {
            note("restart");
            cluster.restartBroker();
        } else {
            note("crash");
            cluster.crashBroker();
        }
    }

    private void send(@Nullable MessageQueue queue) {
        String body = "m" + sent++;
        Message message = Message.builder(TOPIC).body(body).waitForStore(true).build();
        CompletableFuture<?> result = (queue == null ? producer.sendAsync(message) : producer.sendAsync(message, queue))
                .thenAccept(stored -> note("stored " + body + " "
                        + stored.queue().queueId() + "/" + stored.queueOffset() + " " + stored.status()))
                .thenRun(() -> acknowledged.add(body));
        Completion.on(result, (ignored, failure) -> {
            answered++;
            if (failure != null) {
                note("failed " + body + " " + failure.getClass().getSimpleName());
            }
        });
    }

    private ConsumeResult consume(List<MessageExt> messages) {
        for (MessageExt message : messages) {
            pushed.add(message.bodyText());
            note("pushed " + message.bodyText());
        }
        return ConsumeResult.SUCCESS;
    }

    private void poll() throws Exception {
        for (List<MessageExt> some = pull.poll(0); !some.isEmpty(); some = pull.poll(0)) {
            for (MessageExt message : some) {
                polled.add(message.bodyText());
                note("polled " + message.bodyText());
            }
        }
    }

    /** Nothing breaks any more: everything acknowledged has to arrive within the limit. */
    private void calm() throws Exception {
        note("calm");
        for (long passed = 0; passed < CALM_LIMIT_MS && !isAllThere(); passed += 1_000) {
            cluster.pass(1_000);
            poll();
        }
    }

    private boolean isAllThere() {
        return isEverySendAnswered() && pushed.containsAll(acknowledged) && polled.containsAll(acknowledged);
    }

    private void note(String what) {
        trace.add(cluster.clock().sinceStartMs() + " " + what);
    }
}
