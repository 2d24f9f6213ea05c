package dev.perigee.sim;

import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.cluster.Layout;
import dev.perigee.sim.fault.FaultPlan;
import dev.perigee.sim.kind.KindSimulation;
import dev.perigee.sim.kind.Pace;
import dev.perigee.sim.kind.PairScene;
import dev.perigee.sim.kind.Scene;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Prints how many seconds of a cluster of three brokers are simulated in one: idle, idle with clients, and under load; three masters, and
 * one with two slaves.
 */
final class PaceMain {
    private static final Layout MASTERS = Layout.of(2, 3);
    private static final Layout REPLICAS = Layout.replicated(2, 2, Layout.Guard.STRICT);
    private static final long IDLE_MS = 3_600_000;
    private static final long WARM_UP_SEEDS = 4;
    private static final long SEEDS = 8;

    private PaceMain() {}

    /** An empty folder. */
    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[0]);
        print(folder.resolve("masters"), "masters", MASTERS);
        print(folder.resolve("replicas"), "replicas", REPLICAS);
    }

    private static void print(Path folder, String which, Layout layout) throws Exception {
        print(
                which + " idle",
                idle(folder.resolve("warm"), layout, false),
                idle(folder.resolve("idle"), layout, false));
        print(
                which + " idle with clients",
                idle(folder.resolve("warm-c"), layout, true),
                idle(folder.resolve("clients"), layout, true));
        print(which + " load", loaded(folder.resolve("load"), layout, false));
        print(which + " load and faults", loaded(folder.resolve("faults"), layout, true));
    }

    private static Pace loaded(Path folder, Layout layout, boolean faulty) throws Exception {
        long simulatedMs = 0;
        long tookNs = 0;
        for (long seed = 0; seed < WARM_UP_SEEDS + SEEDS; seed++) {
            FaultPlan drawn = layout.equals(REPLICAS) ? PairScene.drawn(seed, layout) : Scene.drawn(seed, layout);
            Path home = Files.createDirectories(folder.resolve("seed-" + seed));
            KindSimulation run = new KindSimulation(seed, home, new Scene(layout, faulty ? drawn : FaultPlan.NONE));
            run.run();
            if (seed >= WARM_UP_SEEDS) {
                simulatedMs += run.pace().simulatedMs();
                tookNs += run.pace().tookNs();
            }
        }
        return new Pace(simulatedMs, tookNs);
    }

    private static Pace idle(Path folder, Layout layout, boolean hasClients) throws Exception {
        Cluster cluster = new Cluster(1, Files.createDirectories(folder), layout);
        if (hasClients) {
            Producer producer = cluster.in(Producer.builder())
                    .instanceName("producer")
                    .group("senders")
                    .build();
            cluster.add(producer.loop());
            producer.start();
            PushConsumer push = cluster.in(PushConsumer.builder())
                    .instanceName("push")
                    .group("pushed")
                    .subscribe("T", "*")
                    .consumeFrom(ConsumeFrom.firstOffset())
                    .executor(cluster.calls().of("push", 0))
                    .listener(messages -> ConsumeResult.SUCCESS)
                    .build();
            cluster.add(push.loop());
            var started = push.startAsync();
            cluster.pass(1_000);
            if (!started.isDone()) {
                throw new IllegalStateException("the consumer does not start");
            }
        }
        long fromNs = System.nanoTime();
        cluster.pass(IDLE_MS);
        return new Pace(IDLE_MS, System.nanoTime() - fromNs);
    }

    private static void print(String what, Pace pace) {
        print(what, pace, pace);
    }

    private static void print(String what, Pace first, Pace then) {
        System.out.printf(
                Locale.ROOT,
                "%-26s first %8.0f then %8.0f simulated seconds per second%n",
                what,
                first.secondsPerSecond(),
                then.secondsPerSecond());
    }
}
