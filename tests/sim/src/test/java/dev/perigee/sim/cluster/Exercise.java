package dev.perigee.sim.cluster;

import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.consumer.PushConsumerBuilder;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.producer.WhenFull;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.protocol.message.MessageExt;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/**
 * The frame of a run: a producer, a push consumer and a pull consumer on a cluster, rounds in which something happens, and calm in
 * which everything has to arrive. What happens and what has to arrive says its {@link Part}; all that matters is written to a trace.
 */
public final class Exercise {
    /** The topic of all messages. */
    public static final String TOPIC = "T";

    private static final int ROUNDS = 120;

    /** What one simulation has of its own. */
    public interface Part {
        /** Lets something happen. */
        void act() throws Exception;

        /** Hears that the consumer {@code push} or {@code pull} got a message. */
        void saw(String consumer, MessageExt message);

        /** Whether everything has arrived that has to. */
        boolean isDone();
    }

    private final Part part;
    private final Random random;
    private final Cluster cluster;
    private final List<String> trace = new ArrayList<>();
    private final Producer producer;

    /** Makes the cluster and the producer; everything goes by the seed. */
    public Exercise(long seed, Path folder, Part part) throws Exception {
        this.part = part;
        this.random = new Random(seed);
        this.cluster = new Cluster(seed, folder);
        this.producer = cluster.in(Producer.builder())
                .instanceName("producer")
                .group("senders")
                .whenFull(WhenFull.FAIL)
                .random(new Random(seed))
                .build();
        cluster.add(producer.loop());
    }

    /** The chance of this run. */
    public Random random() {
        return random;
    }

    /** Where it runs. */
    public Cluster cluster() {
        return cluster;
    }

    /** Sends; not started yet. */
    public Producer producer() {
        return producer;
    }

    /** Everything in its order. */
    public List<String> trace() {
        return trace;
    }

    /** Adds a line to the trace. */
    public void note(String what) {
        trace.add(cluster.clock().sinceStartMs() + " " + what);
    }

    /** The two consumers of a run. */
    public final class Consumers {
        private final PushConsumer push;
        private final PullConsumer pull;

        private Consumers(UnaryOperator<PushConsumerBuilder> listening) {
            push = listening
                    .apply(cluster.in(PushConsumer.builder())
                            .instanceName("push")
                            .group("pushed")
                            .subscribe(TOPIC, "*")
                            .consumeFrom(ConsumeFrom.firstOffset())
                            .executor(cluster.calls().of("push", 0)))
                    .build();
            pull = cluster.in(PullConsumer.builder())
                    .instanceName("pull")
                    .group("polled")
                    .consumeFrom(ConsumeFrom.firstOffset())
                    .build();
            cluster.add(push.loop());
            cluster.add(pull.loop());
        }

        /** Starts both and plays all rounds, with no calm behind them. */
        public void playRounds() throws Exception {
            CompletableFuture<Void> pushes = push.startAsync();
            pull.subscribe(TOPIC, "*");
            CompletableFuture<Void> pulls = pull.startAsync();
            cluster.pass(5_000);
            note("started push=" + pushes.isDone() + " pull=" + pulls.isDone());
            for (int round = 0; round < ROUNDS; round++) {
                part.act();
                poll();
                cluster.pass(random.nextInt(400));
            }
        }

        private void poll() throws ClientException {
            for (List<MessageExt> some = pull.poll(0); !some.isEmpty(); some = pull.poll(0)) {
                some.forEach(message -> part.saw("pull", message));
            }
        }

        /** Nothing breaks any more: everything that has to must arrive within the limit. */
        public void calm(long limitMs) throws Exception {
            note("calm");
            for (long passed = 0; passed < limitMs && !part.isDone(); passed += 1_000) {
                cluster.pass(1_000);
                poll();
            }
        }
    }

    /** The consumers; the push consumer listens by {@link #consume}, in the way that is chosen here. */
    public Consumers consumers(UnaryOperator<PushConsumerBuilder> listening) {
        return new Consumers(listening);
    }

    /** What the push consumer's listener does. */
    public ConsumeResult consume(List<MessageExt> messages) {
        messages.forEach(message -> part.saw("push", message));
        return ConsumeResult.SUCCESS;
    }
}
