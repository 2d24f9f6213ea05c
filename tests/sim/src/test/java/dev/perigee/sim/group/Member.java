package dev.perigee.sim.group;

import dev.perigee.client.consumer.ConsumerMetrics;
import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.consumer.PushConsumerBuilder;
import dev.perigee.client.error.Completion;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.sim.cluster.Cable;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.ledger.Group;
import dev.perigee.sim.ledger.Ledger;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** One member of a group, in a process of its own, from its start until it left or vanished. */
final class Member {
    /** Calls of a hundred that take time. */
    private static final int SLOW_PERCENT = 10;

    /** Where a member is on its way. */
    enum State {
        STARTING,
        RUNNING,
        LEAVING,
        GONE
    }

    /** What all members of a run share. */
    record World(long seed, String topic, Path folder, Cluster cluster, Ledger ledger, PlannedListener.Tries tries) {}

    private final String name;
    private final Group group;
    private final World world;
    private final Cable cable;
    private final PushConsumer consumer;
    private State state = State.STARTING;
    private boolean hasSaidGoodbye;
    private boolean hasFailed;

    Member(String name, Group group, World world, SplittableRandom random) {
        this.name = name;
        this.group = group;
        this.world = world;
        this.cable = world.cluster.cable(name);
        this.consumer = builder(new PlannedListener(world.seed, name, group, world.ledger, world.tries, random))
                .build();
    }

    private PushConsumerBuilder builder(PlannedListener listener) {
        PushConsumerBuilder builder = world.cluster
                .in(PushConsumer.builder(), cable)
                .instanceName(name)
                .group(group.name())
                .subscribe(world.topic, "*")
                .consumeFrom(ConsumeFrom.firstOffset())
                .batchSize(group.batchSize())
                .maxReconsumeTimes(group.maxRetries())
                .consumeTimeoutMs(group.consumeTimeoutMs())
                .executor(world.cluster.calls().of(name, SLOW_PERCENT));
        if (!group.isClustering()) {
            builder.model(MessageModel.BROADCASTING).offsetFolder(world.folder);
        }
        return group.isOrderly() ? builder.orderlyListener(listener) : builder.listener(listener);
    }

    void start() {
        world.cluster.add(consumer.loop());
        Completion.on(consumer.startAsync(), (ignored, failure) -> {
            if (failure != null) {
                world.ledger.note(
                        "not started " + name + " " + failure.getClass().getSimpleName());
                hasFailed = true;
            } else if (state == State.STARTING) {
                state = State.RUNNING;
                world.ledger.join(group, name);
            }
        });
    }

    /** Begins to leave in order. */
    void leave() {
        state = State.LEAVING;
        world.ledger.leave(group, name);
        Completion.on(consumer.closeAsync(), (ignored, never) -> hasSaidGoodbye = true);
    }

    /** The process ends without a word. */
    void vanish() {
        state = State.GONE;
        cable.vanish();
        world.cluster.remove(consumer.loop());
        world.cluster.calls().vanish(name);
        world.ledger.vanish(group, name);
    }

    /** Ends what has left, or could not start. To be called from time to time. */
    void tidy() {
        if (hasFailed && state == State.STARTING) {
            leave();
        }
        if (hasSaidGoodbye && state == State.LEAVING) {
            state = State.GONE;
            consumer.close();
            world.cluster.remove(consumer.loop());
            world.ledger.note("left " + name);
        }
    }

    State state() {
        return state;
    }

    String name() {
        return name;
    }

    String clientId() {
        return consumer.clientId();
    }

    Cable cable() {
        return cable;
    }

    CompletableFuture<ConsumerMetrics> metrics() {
        return consumer.metrics();
    }
}
