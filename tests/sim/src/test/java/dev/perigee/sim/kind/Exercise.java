package dev.perigee.sim.kind;

import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.producer.WhenFull;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.fault.FaultInjector;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.sim.watch.LogWatch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * The frame of a run: a producer, a push consumer and a pull consumer on a cluster, rounds in which something is done while things
 * go wrong, and calm in which everything has to arrive. All that matters is written to a trace; what must hold of logs is looked at
 * after each event.
 */
final class Exercise {
    /** The topic of all messages. */
    static final String TOPIC = "T";

    static final String PUSHED = "pushed";
    static final String POLLED = "polled";

    /** The clients, as faults name them. */
    static final List<String> CLIENTS = List.of("producer", "transactions", "push", "pull");

    private static final int ROUNDS = 120;
    private static final int LONGEST_ROUND_MS = 400;
    private static final int POLLS = 1_000;

    /** What one simulation has of its own. */
    interface Part {
        /** Does something. */
        void act() throws Exception;

        /** Hears that the consumer {@code push} or {@code pull} got a message. */
        void saw(String consumer, MessageExt message);

        /** Whether everything has arrived that has to. */
        boolean isDone();

        /** Nothing goes wrong any more, and not everything has arrived. Whoever runs the cluster looks at it. */
        void tend() throws Exception;
    }

    private final Part part;
    private final Random random;
    private final Cluster cluster;
    private final Verdict verdict = new Verdict();
    private final LogWatch watch;
    private final FaultInjector faults;
    private final List<String> trace = new ArrayList<>();
    private final Producer producer;
    private final PushConsumer push;
    private final PullConsumer pull;
    private Pace pace = new Pace(0, 1);

    /** Makes the cluster and its clients; what is done goes by the seed, what goes wrong by the scene. */
    Exercise(long seed, Path folder, Scene scene, Part part) throws Exception {
        this.part = part;
        this.random = new Random(seed);
        this.cluster = new Cluster(seed, folder, scene.layout());
        this.watch = new LogWatch(cluster, verdict, Promise.of(scene).mayLose());
        this.faults = new FaultInjector(cluster, scene.plan(), this::note, watch::byteOfFrame);
        this.producer = cluster.in(Producer.builder(), cluster.cable("producer"))
                .instanceName("producer")
                .group("senders")
                .whenFull(WhenFull.FAIL)
                .random(new Random(seed))
                .build();
        this.push = cluster.in(PushConsumer.builder(), cluster.cable("push"))
                .instanceName("push")
                .group(PUSHED)
                .subscribe(TOPIC, "*")
                .consumeFrom(ConsumeFrom.firstOffset())
                .executor(cluster.calls().of("push", 0))
                .orderlyListener(this::consume)
                .build();
        this.pull = cluster.in(PullConsumer.builder(), cluster.cable("pull"))
                .instanceName("pull")
                .group(POLLED)
                .consumeFrom(ConsumeFrom.firstOffset())
                .build();
        cluster.add(producer.loop());
        cluster.add(push.loop());
        cluster.add(pull.loop());
    }

    /** The chance of this run. */
    Random random() {
        return random;
    }

    /** Where it runs. */
    Cluster cluster() {
        return cluster;
    }

    /** Sends; not started yet. */
    Producer producer() {
        return producer;
    }

    /** The first thing that did not hold. */
    Verdict verdict() {
        return verdict;
    }

    /** What brokers confirm. */
    LogWatch watch() {
        return watch;
    }

    /** What goes wrong. */
    FaultInjector faults() {
        return faults;
    }

    /** Everything in its order. */
    List<String> trace() {
        return trace;
    }

    /** Adds a line to the trace. */
    void note(String what) {
        trace.add(cluster.clock().sinceStartMs() + " " + what);
    }

    private boolean isSound() {
        return verdict.problem().isEmpty() && faults.problems().isEmpty();
    }

    /** Starts the consumers and plays all rounds, up to the first thing that does not hold; with no calm behind them. */
    void playRounds() throws Exception {
        CompletableFuture<Void> pushes = push.startAsync();
        pull.subscribe(TOPIC, "*");
        CompletableFuture<Void> pulls = pull.startAsync();
        cluster.pass(Scene.CALM_BEFORE_MS);
        long fromNs = System.nanoTime();
        long fromMs = cluster.clock().sinceStartMs();
        note("started push=" + pushes.isDone() + " pull=" + pulls.isDone());
        for (int round = 0; round < ROUNDS && isSound(); round++) {
            part.act();
            poll();
            cluster.pass(random.nextInt(LONGEST_ROUND_MS));
        }
        pace = new Pace(cluster.clock().sinceStartMs() - fromMs, System.nanoTime() - fromNs);
    }

    /** How fast the rounds were simulated. */
    Pace pace() {
        return pace;
    }

    private void poll() throws ClientException {
        List<MessageExt> some = pull.poll(0);
        for (int polls = 0; !some.isEmpty() && polls < POLLS; polls++) {
            some.forEach(message -> part.saw("pull", message));
            some = pull.poll(0);
        }
    }

    /** Nothing goes wrong any more: everything that has to must arrive within the limit. */
    void calm(long limitMs) throws Exception {
        note("calm");
        faults.calm();
        settle(limitMs, part::isDone);
    }

    /** Lets time pass until something holds, or until the limit. */
    void settle(long limitMs, BooleanSupplier isOver) throws Exception {
        for (long passed = 0; passed < limitMs && !isOver.getAsBoolean() && isSound(); passed += 1_000) {
            cluster.pass(1_000);
            poll();
            part.tend();
        }
    }

    private ConsumeResult consume(List<MessageExt> messages) {
        messages.forEach(message -> part.saw("push", message));
        return ConsumeResult.SUCCESS;
    }
}
