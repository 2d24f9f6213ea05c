package dev.perigee.sim.group;

import dev.perigee.client.error.Completion;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.client.queue.Pulled;
import dev.perigee.protocol.client.ConsumerIdList;
import dev.perigee.protocol.header.client.ConsumerGroupHeader;
import dev.perigee.protocol.header.offset.ResetOffsetHeader;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.ledger.Group;
import dev.perigee.sim.question.Inspector;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/** Asks the broker, over a network without faults, what it knows and holds; all at one instant. */
final class Auditor {
    private static final int TIMEOUT_MS = 3_000;
    private static final int BATCH = 32;
    private static final int MOST_TRIES = 100;
    private static final int TRY_AGAIN_MS = 10;

    private final Cluster cluster;
    private final Inspector inspector;
    private final PullConsumer reader;

    Auditor(Cluster cluster) {
        this.cluster = cluster;
        this.inspector = new Inspector(cluster);
        this.reader = cluster.in(PullConsumer.builder())
                .instanceName("auditor")
                .group("audit")
                .build();
    }

    /** Becomes known to the broker. */
    void start() {
        cluster.add(reader.loop());
        CompletableFuture<Void> started = reader.startAsync();
        cluster.settle();
        if (!started.isDone()) {
            throw new IllegalStateException("the auditor does not start");
        }
    }

    private <Q extends Record, R extends Record> Optional<Answer<R>> ask(Rpc<Q, R> rpc, Q header) {
        return inspector.askNow(cluster.machine(), rpc, header);
    }

    /** Client ids of the members the broker knows; empty when it does not answer. */
    Optional<Set<String>> members(Group group) {
        return ask(Rpcs.GET_CONSUMER_LIST_BY_GROUP, new ConsumerGroupHeader(group.name()))
                .map(answer -> answer.isOk() ? ids(answer.body()) : Set.of());
    }

    private static Set<String> ids(byte[] body) {
        try {
            return new TreeSet<>(Json.read(body, ConsumerIdList.class).consumerIdList());
        } catch (BadBodyException e) {
            throw new IllegalStateException("the broker lists members in a way of its own", e);
        }
    }

    /** Where a group stands, if it does. */
    OptionalLong offset(Group group, MessageQueue queue) {
        return inspector.offset(cluster.machine(), group.name(), queue.topic(), queue.queueId());
    }

    /** Sets a group's position as an administrator does, if the broker is there. */
    void reset(Group group, MessageQueue queue, long offset) {
        ask(
                Rpcs.INVOKE_BROKER_TO_RESET_OFFSET,
                new ResetOffsetHeader(queue.topic(), group.name(), -1, true, queue.queueId(), offset));
    }

    /** Everything in these queues, by offset. */
    Map<MessageQueue, SortedMap<Long, String>> contents(Collection<MessageQueue> queues) {
        Map<MessageQueue, SortedMap<Long, String>> contents = new TreeMap<>();
        queues.forEach(queue -> contents.put(queue, contents(queue)));
        return contents;
    }

    /** Everything in a queue, by offset; nothing when its topic does not exist. */
    SortedMap<Long, String> contents(MessageQueue queue) {
        SortedMap<Long, String> contents = new TreeMap<>();
        long next = 0;
        for (Optional<Pulled> found = pull(queue, next); found.isPresent(); found = pull(queue, next)) {
            Pulled pulled = found.get();
            pulled.messages().forEach(message -> contents.put(message.queueOffset(), message.bodyText()));
            if (pulled.code() == ResponseCode.PULL_NOT_FOUND && pulled.nextOffset() == pulled.maxOffset()) {
                return contents;
            }
            if (pulled.code() != ResponseCode.SUCCESS) {
                throw new IllegalStateException("reading " + queue + " at " + next + ": " + pulled);
            }
            next = pulled.nextOffset();
        }
        return contents;
    }

    /** The answer to one pull; empty when there is no such topic. */
    private Optional<Pulled> pull(MessageQueue queue, long offset) {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            CompletableFuture<Pulled> pulled = reader.pullAsync(queue, "*", offset, BATCH);
            Completion.on(pulled, (ignored, cause) -> failure.set(cause));
            cluster.settle();
            cluster.passUntil(pulled::isDone, TIMEOUT_MS, TRY_AGAIN_MS);
            if (pulled.isDone() && failure.get() == null) {
                return Optional.of(pulled.join());
            }
            cluster.pass(TRY_AGAIN_MS); // a broker that has just started is not known at once
        }
        if (failure.get() instanceof NoRouteException) {
            return Optional.empty();
        }
        throw new IllegalStateException("cannot read " + queue, failure.get());
    }
}
