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
import dev.perigee.sim.kind.Scene;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Prints how many seconds of a cluster of three brokers are simulated in one: idle, idle with clients, and under load. */
final class PaceMain {
    private static final Layout THREE = Layout.of(2, 3);
    private static final long IDLE_MS = 3_600_000;
    private static final long WARM_UP_SEEDS = 4;
    private static final long SEEDS = 8;

    private PaceMain() {}

    /** An empty folder. */
    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[0]);
        print("idle", idle(folder.resolve("warm"), false), idle(folder.resolve("idle"), false));
        print("idle with clients", idle(folder.resolve("warm-c"), true), idle(folder.resolve("clients"), true));
        for (boolean faulty : new boolean[] {false, true}) {
            long simulatedMs = 0;
            long tookNs = 0;
            for (long seed = 0; seed < WARM_UP_SEEDS + SEEDS; seed++) {
                Scene scene = new Scene(THREE, faulty ? Scene.drawn(seed, THREE) : FaultPlan.NONE);
                Path home = Files.createDirectories(folder.resolve((faulty ? "faults-" : "load-") + seed));
                KindSimulation run = new KindSimulation(seed, home, scene);
                run.run();
                if (seed >= WARM_UP_SEEDS) {
                    simulatedMs += run.pace().simulatedMs();
                    tookNs += run.pace().tookNs();
                }
            }
            Pace pace = new Pace(simulatedMs, tookNs);
            print(faulty ? "load and faults" : "load", pace, pace);
        }
    }

    private static Pace idle(Path folder, boolean hasClients) throws Exception {
        Cluster cluster = new Cluster(1, Files.createDirectories(folder), THREE);
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

    private static void print(String what, Pace first, Pace then) {
        System.out.printf(
                Locale.ROOT,
                "%-18s first %8.0f then %8.0f simulated seconds per second%n",
                what,
                first.secondsPerSecond(),
                then.secondsPerSecond());
    }
}
