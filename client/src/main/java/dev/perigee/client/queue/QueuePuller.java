package dev.perigee.client.queue;

import dev.perigee.client.error.Completion;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.client.work.Timer;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.client.QueueRunningInfo;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.rpc.ResponseCode;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one queue flowing: at most one pull under way, held back by flow control, repeated after a pause when it fails.
 * Every method is called on the client loop.
 */
@OwnedBy("client loop")
public final class QueuePuller {
    /** The pause after a pull that failed or was refused. */
    public static final long FAILURE_PAUSE_MS = 1_000;
    /** The pause after the broker asked for less. */
    static final long FLOW_CONTROL_PAUSE_MS = 20;
    /** A broker that says "nothing" sooner than this did not hold the pull; asking again at once would be a busy loop. */
    static final long EMPTY_PAUSE_MS = 50;

    private static final long MIB = 1 << 20;
    private static final Logger LOG = LoggerFactory.getLogger(QueuePuller.class);

    /** Takes what a puller brings. Called on the client loop. */
    public interface Sink {
        /** Messages came in; each slot has to be given back to {@link QueuePuller#finish}. */
        void arrived(QueuePuller from, List<ProcessQueue.Slot> slots);

        /** The broker moved the position: everything cached was dropped, pulling goes on from the new offset. */
        void moved(QueuePuller from, long newOffset);

        /** The broker does not know this consumer or its subscription. */
        void unknownToBroker(QueuePuller from);
    }

    /** The parts all pullers of a consumer share. */
    public record Parts(
            PullCalls calls, Subscriptions subscriptions, FlowGate gate, ClientLoop loop, Clock clock, Sink sink) {}

    private final MessageQueue queue;
    private final Parts parts;
    private ProcessQueue cache;
    private LongSupplier committed = () -> 0;
    /** Who of the broker's name is asked next: whom it named last; after a failure the master. */
    private long brokerId = BrokerData.MASTER_ID;

    private final AtomicInteger generation = new AtomicInteger();
    private boolean underWay;
    private boolean paused;
    private volatile boolean dropped;
    private @Nullable Timer pause;
    private String lastTrouble = "";
    private long lastPullMs;
    private long lastFinishWallMs;

    public QueuePuller(MessageQueue queue, long startOffset, Parts parts) {
        this.queue = queue;
        this.parts = parts;
        this.cache = new ProcessQueue(startOffset);
        this.lastPullMs = parts.clock.monotonicMs();
        parts.gate.opened(this);
    }

    /** Tells where to find the offset that rides on pulls. */
    public void commitFrom(LongSupplier offset) {
        this.committed = offset;
    }

    public MessageQueue queue() {
        return queue;
    }

    public ProcessQueue cache() {
        return cache;
    }

    /** Whether this message is of the present cache; after a seek the messages from before are not. */
    public boolean holds(ProcessQueue.Slot slot) {
        return cache.holds(slot);
    }

    /** Whether this queue was given up. Any thread. */
    public boolean isDropped() {
        return dropped;
    }

    /** Any thread. Changes with every seek; slots of an older generation belong to a cache that is gone. */
    public int generation() {
        return generation.get();
    }

    /** When a pull was last sent, in monotonic milliseconds. */
    public long lastPullMs() {
        return lastPullMs;
    }

    /** When messages were last finished, wall milliseconds; 0 for never. */
    public long lastFinishWallMs() {
        return lastFinishWallMs;
    }

    /** Pulls if nothing speaks against it: a pull under way, a pause, flow control, or the end of this puller. */
    public void pull() {
        if (dropped || paused || underWay || pause != null) {
            return;
        }
        if (parts.gate.check(queue, cache) != FlowGate.Hold.NONE) {
            return;
        }
        var subscription = parts.subscriptions.of(queue.topic());
        if (subscription.isEmpty()) {
            return;
        }
        underWay = true;
        lastPullMs = parts.clock.monotonicMs();
        int asked = generation.get();
        long askedMs = lastPullMs;
        PullCalls.Ask ask = new PullCalls.Ask(
                queue,
                cache.nextOffset(),
                committed.getAsLong(),
                brokerId,
                subscription.get(),
                parts.calls.style().maxMessages());
        Completion.on(
                parts.calls.pull(ask),
                (pulled, failure) -> parts.loop.execute(() -> {
                    if (asked != generation.get() || dropped) {
                        return;
                    }
                    underWay = false;
                    if (failure != null) {
                        askAnother(); // a slave that is gone stays in the route for a while
                        trouble(failure.getClass().getSimpleName(), String.valueOf(failure.getMessage()));
                        pauseFor(FAILURE_PAUSE_MS);
                    } else {
                        answered(pulled, askedMs);
                    }
                }));
    }

    private void answered(Pulled pulled, long askedMs) {
        switch (pulled.code()) {
            case ResponseCode.SUCCESS -> found(pulled);
            case ResponseCode.PULL_NOT_FOUND -> {
                cache.add(List.of(), pulled.nextOffset());
                brokerId = pulled.suggestedBrokerId();
                if (parts.clock.monotonicMs() - askedMs < EMPTY_PAUSE_MS) {
                    pauseFor(EMPTY_PAUSE_MS);
                } else {
                    pull();
                }
            }
            case ResponseCode.PULL_RETRY_IMMEDIATELY -> found(pulled);
            case ResponseCode.PULL_OFFSET_MOVED -> {
                LOG.info(
                        "event=offset_moved queue={} from={} to={} remark=\"{}\"",
                        queue,
                        cache.nextOffset(),
                        pulled.nextOffset(),
                        pulled.remark());
                brokerId = pulled.suggestedBrokerId();
                seek(pulled.nextOffset());
                parts.sink.moved(this, pulled.nextOffset());
                pull();
            }
            case ResponseCode.SUBSCRIPTION_NOT_EXIST, ResponseCode.SUBSCRIPTION_NOT_LATEST -> {
                parts.sink.unknownToBroker(this);
                pauseFor(FAILURE_PAUSE_MS);
            }
            case ResponseCode.SYSTEM_BUSY -> {
                askAnother(); // a slave that may not be read says so too
                pauseFor(FAILURE_PAUSE_MS);
            }
            case ResponseCode.FLOW_CONTROL -> pauseFor(FLOW_CONTROL_PAUSE_MS);
            default -> {
                askAnother();
                trouble(Integer.toString(pulled.code()), pulled.remark());
                pauseFor(FAILURE_PAUSE_MS);
            }
        }
    }

    /** The master, or while no route names it whom the routes say instead: they hear who cannot be read. */
    private void askAnother() {
        brokerId = BrokerData.MASTER_ID;
    }

    /** One line when a kind of trouble begins; its repetitions are not worth more. */
    private void trouble(String kind, String reason) {
        if (!kind.equals(lastTrouble)) {
            lastTrouble = kind;
            LOG.warn("event=pull_failed queue={} kind={} reason=\"{}\"", queue, kind, reason);
        }
    }

    private void found(Pulled pulled) {
        lastTrouble = "";
        brokerId = pulled.suggestedBrokerId();
        List<ProcessQueue.Slot> slots = cache.add(pulled.messages(), pulled.nextOffset());
        if (!slots.isEmpty()) {
            parts.sink.arrived(this, slots);
        }
        pull();
    }

    /** Gives messages back as finished, which may let the next pull go. */
    public void finish(List<ProcessQueue.Slot> slots) {
        for (ProcessQueue.Slot slot : slots) {
            cache.finish(slot);
        }
        finished();
    }

    /** Gives one message back as finished; {@link #finished} has to follow after the last one. */
    public void finish(ProcessQueue.Slot slot) {
        cache.finish(slot);
    }

    /** Messages were finished: pulls if there is room now. */
    public void finished() {
        lastFinishWallMs = parts.clock.wallMs();
        pull();
    }

    /** Drops what is cached and goes on from another offset; an answer still under way is ignored. */
    public void seek(long offset) {
        generation.incrementAndGet();
        underWay = false;
        cache = new ProcessQueue(offset);
        Timer waiting = pause;
        if (waiting != null) {
            waiting.cancel();
            pause = null;
        }
    }

    /** Stops pulling until {@link #resume}. */
    public void pauseUntilResumed() {
        paused = true;
    }

    /** Pulls again. */
    public void resume() {
        paused = false;
        pull();
    }

    /** Ends this puller for good. */
    public void drop() {
        dropped = true;
        parts.gate.closed(this);
        Timer waiting = pause;
        if (waiting != null) {
            waiting.cancel();
            pause = null;
        }
    }

    /**
     * What administrators are told of this queue.
     *
     * @param lockedAtMs when its lock was got or renewed, wall milliseconds; 0 without one
     */
    public QueueRunningInfo describe(long lockedAtMs) {
        long commitOffset = cache.commitOffset();
        boolean isEmpty = cache.count() == 0;
        return new QueueRunningInfo(
                commitOffset,
                isEmpty ? 0 : commitOffset,
                isEmpty ? 0 : commitOffset + cache.span(),
                cache.count(),
                (int) (cache.bytes() / MIB),
                0,
                0,
                0,
                lockedAtMs > 0,
                0,
                lockedAtMs,
                dropped,
                parts.clock.wallMs() - (parts.clock.monotonicMs() - lastPullMs),
                lastFinishWallMs);
    }

    private void pauseFor(long pauseMs) {
        pause = parts.loop.after(pauseMs, () -> {
            pause = null;
            pull();
        });
    }
}
