package dev.perigee.broker.member;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.raft.RaftOrderHeader;
import dev.perigee.store.view.Duty;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Another member is to lead by order: offsets that were committed are logged (R26), then nothing more is taken that only a master may
 * take, what was taken is answered, and only then the node hands over. So nothing that was taken is refused. What takes longer than
 * {@link #LIMIT_MS} is not waited for. Of an order that removes this member only the first is done: it leads until that is confirmed.
 */
@OwnedBy("view loop")
public final class PlannedTransfer implements Duty {
    /** Longest wait for offsets to be logged, and then for what was taken to be answered. */
    static final long LIMIT_MS = 500;

    /** Between two looks; there is nothing that tells when the last one is answered. */
    private static final long LOOK_MS = 2;

    private enum Phase {
        LOGGING,
        ANSWERING,
        ORDERED
    }

    private static final class Order {
        private final RaftOrderHeader header;
        private final CompletableFuture<Optional<String>> begun = new CompletableFuture<>();
        private volatile boolean logged;
        // view loop only
        private Phase phase = Phase.LOGGING;
        private long untilMs = Long.MAX_VALUE;
        private boolean seen;

        Order(RaftOrderHeader header) {
            this.header = header;
        }

        private boolean isTransfer() {
            return header.order().equals(RaftOrderHeader.TRANSFER);
        }
    }

    private final MemberStanding standing;
    private final OpenWrites open;
    private final Consumer<Runnable> flush;
    private final Function<RaftOrderHeader, CompletableFuture<Optional<String>>> node;
    private final Runnable wake;
    private final long giveUpMs;
    private final AtomicReference<@Nullable Order> current = new AtomicReference<>();
    private long nowMs;

    /**
     * None is under way.
     *
     * @param flush logs offsets that were committed, and runs what it is given when they are applied; any thread
     * @param node gives an order to the node: completed with why it refuses, or empty when it has begun
     * @param wake makes the view loop run soon
     * @param giveUpMs after so long the node gives a transfer up
     */
    public PlannedTransfer(
            MemberStanding standing,
            OpenWrites open,
            Consumer<Runnable> flush,
            Function<RaftOrderHeader, CompletableFuture<Optional<String>>> node,
            Runnable wake,
            long giveUpMs) {
        this.standing = standing;
        this.open = open;
        this.flush = flush;
        this.node = node;
        this.wake = wake;
        this.giveUpMs = giveUpMs;
    }

    /** Begins one, or to remove this member. Any thread; completed with why it is refused, or empty when the node has begun it. */
    CompletableFuture<Optional<String>> order(RaftOrderHeader header) {
        if (!standing.serves() || !standing.mayBeHandedTo(header)) {
            return node.apply(header); // there is nothing to wait for, or the node refuses it
        }
        Order order = new Order(header);
        if (!current.compareAndSet(null, order)) {
            return CompletableFuture.completedFuture(Optional.of("another member is to lead already"));
        }
        flush.accept(() -> {
            order.logged = true;
            wake.run();
        });
        wake.run();
        return order.begun;
    }

    @Override
    public boolean runsEverywhere() {
        return true;
    }

    @Override
    public int doWork(long now) {
        nowMs = now;
        Order order = current.get();
        if (order == null) {
            return 0;
        }
        if (order.untilMs == Long.MAX_VALUE) {
            order.untilMs = now + LIMIT_MS;
        }
        boolean isLate = now >= order.untilMs;
        switch (order.phase) {
            case LOGGING -> {
                if ((order.logged || isLate) && !order.isTransfer()) {
                    give(order);
                    current.set(null);
                    return 1;
                }
                if (order.logged || isLate) {
                    standing.beginHandOver();
                    next(order, Phase.ANSWERING, now + LIMIT_MS);
                    return 1;
                }
            }
            case ANSWERING -> {
                if (open.isNone() || isLate) {
                    standing.decideNoMore();
                    give(order);
                    next(order, Phase.ORDERED, now + giveUpMs + LIMIT_MS);
                    return 1;
                }
            }
            case ORDERED -> {
                if (isOver(order, isLate)) {
                    standing.endHandOver();
                    current.set(null);
                    return 1;
                }
            }
        }
        return 0;
    }

    private static void next(Order order, Phase phase, long untilMs) {
        order.phase = phase;
        order.untilMs = untilMs;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what follows ends in the callback
    private void give(Order order) {
        node.apply(order.header).whenComplete((refusal, failure) -> {
            order.begun.complete(failure == null ? refusal : Optional.of(String.valueOf(failure)));
            wake.run();
        });
    }

    /** Refused; or another one leads; or the node has given it up: it admits again what it refused for a while. */
    private boolean isOver(Order order, boolean isLate) {
        boolean isRefused = order.begun.isDone() && order.begun.join().isPresent();
        boolean admits = standing.group().leads() && standing.group().admits();
        order.seen |= order.begun.isDone() && !admits;
        return isRefused || !standing.group().leads() || (order.seen && admits) || isLate;
    }

    @Override
    public long nextDeadlineMs() {
        return current.get() == null ? Long.MAX_VALUE : nowMs + LOOK_MS;
    }
}
