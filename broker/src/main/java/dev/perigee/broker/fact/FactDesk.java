package dev.perigee.broker.fact;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.view.Duty;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes decisions that overwrite or close something, on the view loop, where the views stand still. From the append of a
 * decision's fact until it is applied or has failed, its key is claimed: further decisions on the key wait in line and
 * then see the result of the first. So two requests that both find a topic missing create it once.
 */
@ThreadSafe
public final class FactDesk implements Duty, Claims {
    private static final Logger LOG = LoggerFactory.getLogger(FactDesk.class);

    /**
     * Decisions that are not finished at most; one more is refused as busy. The inbox holds at most one task for each of
     * them, and one for each fact of offsets on its way, so this bounds it.
     */
    public static final int MAX_WAITING = 10_000;

    /** Decisions waiting for one claimed key at most; one more is refused as busy. */
    public static final int MAX_WAITING_PER_KEY = 1_000;

    private static final int MAX_PER_PASS = 256;

    private record Decision(String key, Supplier<@Nullable Fact> decide, Consumer<AppendResult> done) {}

    /** What was stored and is to be applied. */
    private record Stored(Runnable applied, Runnable failed) {}

    private final FactAppender sink;
    /** By the order in which that was heard. */
    private final ConcurrentSkipListMap<Long, Stored> notApplied = new ConcurrentSkipListMap<>();

    private final AtomicLong numbers = new AtomicLong();
    private final AppliedLog log;
    private final Runnable wake;
    private final Inbox inbox;
    private final AtomicInteger waiting = new AtomicInteger();
    private final Map<String, ArrayDeque<Decision>> claimed = new HashMap<>(); // view loop only

    /** The desk writes to the sink; {@code wake} makes the view loop run soon. */
    public FactDesk(FactAppender sink, AppliedLog log, Runnable wake) {
        this.sink = sink;
        this.log = log;
        this.wake = wake;
        this.inbox = new Inbox("fact-desk", wake);
    }

    /**
     * Hands in a decision. May be called from any thread.
     *
     * @param key what the decision is about, see {@link FactKeys}
     * @param decide called on the view loop while nobody else decides about the key; null when there is nothing to do
     * @param done told once: APPENDED when the fact is applied or nothing was to be done, otherwise why not. On the view
     *     loop, or on the calling thread when refused at once; must not block
     */
    public void submit(String key, Supplier<@Nullable Fact> decide, Consumer<AppendResult> done) {
        if (waiting.incrementAndGet() > MAX_WAITING) {
            waiting.decrementAndGet();
            done.accept(AppendResult.BUSY);
            return;
        }
        inbox.post(() -> take(new Decision(key, decide, done)));
    }

    /** Makes the view loop, and with it every duty, run soon. May be called from any thread, as often as wanted. */
    public void wake() {
        wake.run();
    }

    /**
     * Goes on after an append, on the view loop: when every view has applied everything below the offset, or when the fact
     * is not stored. From any thread.
     */
    public void afterAppend(AppendResult result, long endOffset, Runnable applied, Runnable failed) {
        if (result == AppendResult.APPENDED || result == AppendResult.FLUSH_TIMEOUT) {
            long number = numbers.incrementAndGet();
            notApplied.put(number, new Stored(applied, failed));
            whenApplied(endOffset, () -> {
                Stored stored = notApplied.remove(number);
                if (stored != null) {
                    stored.applied.run();
                }
            });
        } else {
            inbox.post(failed);
        }
    }

    /**
     * Another broker may write the log now, and what was stored here and is not applied may be cut off it (R2, R33): whoever waits for that
     * to be applied is told that it is not stored, as far as is known. On the view loop.
     */
    public void masterNoMore() {
        for (Map.Entry<Long, Stored> first = notApplied.pollFirstEntry();
                first != null;
                first = notApplied.pollFirstEntry()) {
            first.getValue().failed.run();
        }
    }

    /**
     * Appends a fact, and goes on as {@link #afterAppend} does, also where the append itself throws. On the view loop.
     *
     * @param failed hears why the fact is not stored, {@link AppendResult#OUTCOME_UNKNOWN} when that is not known
     */
    public void append(Fact fact, Runnable applied, Consumer<AppendResult> failed) {
        sink.appendGuarded(
                fact, (result, endOffset) -> afterAppend(result, endOffset, applied, () -> failed.accept(result)));
    }

    /** Claims a key for facts that are not decided here, until {@link #letGo}. On the view loop only. */
    public void hold(String key) {
        claimed.putIfAbsent(key, new ArrayDeque<>());
    }

    /** Ends {@link #hold}. On the view loop only. */
    public void letGo(String key) {
        claimed.remove(key);
    }

    @Override
    public boolean isClaimed(String key) {
        return claimed.containsKey(key);
    }

    @Override
    public boolean isAnyClaimed(Predicate<String> wanted) {
        return claimed.keySet().stream().anyMatch(wanted);
    }

    @Override
    public int doWork(long nowMs) {
        return inbox.run(MAX_PER_PASS);
    }

    private void take(Decision decision) {
        ArrayDeque<Decision> line = claimed.get(decision.key());
        if (line == null) {
            run(decision);
        } else if (line.size() < MAX_WAITING_PER_KEY) {
            line.add(decision);
        } else {
            finish(decision, AppendResult.BUSY);
        }
    }

    private void run(Decision decision) {
        @Nullable Fact fact;
        try {
            fact = decision.decide().get();
        } catch (RuntimeException e) {
            // One decision that cannot be made, for whatever a client sent, must not end the loop of all of them.
            LOG.error("event=decision_failed key={}", decision.key(), e);
            finish(decision, AppendResult.OUTCOME_UNKNOWN);
            return;
        }
        if (fact == null) {
            finish(decision, AppendResult.APPENDED);
            return;
        }
        claimed.put(decision.key(), new ArrayDeque<>());
        append(fact, () -> release(decision, AppendResult.APPENDED), result -> release(decision, result));
    }

    private void release(Decision decision, AppendResult result) {
        ArrayDeque<Decision> line = claimed.remove(decision.key());
        finish(decision, result);
        while (line != null && !line.isEmpty()) {
            run(line.poll());
            ArrayDeque<Decision> next = claimed.get(decision.key());
            if (next != null) {
                next.addAll(line);
                return;
            }
        }
    }

    private void finish(Decision decision, AppendResult result) {
        waiting.decrementAndGet();
        guard(decision.key(), () -> decision.done().accept(result));
    }

    private void whenApplied(long endOffset, Runnable task) {
        if (!log.whenApplied(endOffset, () -> inbox.post(task))) {
            inbox.post(() ->
                    whenApplied(endOffset, task)); // too many wait: ask again next pass, for this must not get lost
        }
    }

    /** One listener that fails must not end the loop of all decisions, nor keep the next in line from its turn. */
    private static void guard(String key, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            LOG.error("event=decision_listener_failed key={}", key, e);
        }
    }
}
