package dev.perigee.store.retention;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.LogTrimmed;
import dev.perigee.store.log.PacedTask;
import dev.perigee.store.view.Duty;
import dev.perigee.store.view.LogView;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trims the log from its start (R17): when the oldest segments have expired, every view restates what it still needs from
 * them; once those facts are applied, {@code LogTrimmed} is appended. The files themselves go when the views are durable
 * past that fact.
 *
 * <pre>
 * WATCHING → CARRYING → (again while something live is left) → TRIMMING → WATCHING
 *              ↑    ↓
 *              LOOKING  when a round found nothing more of what was looked ahead for
 * </pre>
 */
@OwnedBy("view loop")
public final class RetentionDuty implements Duty {
    /** While facts are under way, their end is looked for this often at the latest. */
    private static final long FOLLOW_MS = 100;
    /** After a round in which nothing could be appended. */
    private static final long RETRY_MS = 5_000;

    /** A trim whose files are still there after this long, or after a restart, is said again. */
    private static final long REPEAT_MS = 600_000;

    /** A failure that comes again is logged no more often. */
    private static final long QUIET_MS = 600_000;

    private static final Logger LOG = LoggerFactory.getLogger(RetentionDuty.class);

    private enum State {
        WATCHING,
        CARRYING,
        LOOKING,
        TRIMMING
    }

    private final RetentionSeams seams;
    private final RetentionConfig config;
    private final RetentionView view;
    private final List<LogView> views;
    private final LogTime time;
    private volatile boolean forced;
    /** A deletion was demanded and is not done: it is tried again until nothing expired is left. */
    private boolean demanded;

    private State state = State.WATCHING;
    private FactBatch batch;
    private long target;
    private long nextMs;
    private long repeatMs;
    private @Nullable Survey survey;
    private @Nullable Look look;
    private boolean carriedSinceLook;
    private volatile long failures;
    private final AtomicLong framesLost = new AtomicLong();
    private long quietUntilMs = Long.MIN_VALUE;
    /** What kept a trim back last, and until when that is not said again. */
    private long postponedAt = -1;

    private long postponedQuietUntilMs = Long.MIN_VALUE;

    /** @param views all views of the store, which restate what they need; {@code view} need not be among them */
    public RetentionDuty(RetentionSeams seams, RetentionConfig config, RetentionView view, List<LogView> views) {
        this.seams = seams;
        this.config = config;
        this.view = view;
        this.views = List.copyOf(views);
        this.time = new LogTime(config.retentionMs());
        this.batch = newBatch();
    }

    /**
     * Lets expired segments go with the next pass, whatever the hour, even while age is not judged. When the disk cannot be
     * looked at or the log takes no facts, it is tried again until it is done. Any thread.
     */
    public void force() {
        forced = true;
    }

    @Override
    public int doWork(long nowMs) {
        return switch (state) {
            case WATCHING -> nowMs < nextMs && !forced && survey == null ? 0 : watch(nowMs);
            case CARRYING -> carried(nowMs);
            case LOOKING -> looked(nowMs);
            case TRIMMING -> trimmed(nowMs);
        };
    }

    @Override
    public long nextDeadlineMs() {
        return nextMs;
    }

    private int watch(long nowMs) {
        if (forced && survey == null) {
            forced = false;
            demanded = true;
        }
        Survey running = survey;
        if (running == null && seams.log().startOffset() > view.trimmedTo()) {
            tellStart(nowMs);
            return 1;
        }
        if (running == null) {
            running = begin(nowMs);
        }
        if (running == null) {
            return 0;
        }
        if (running.outcome() == Survey.Outcome.RUNNING) {
            nextMs = nowMs + FOLLOW_MS;
            return 0;
        }
        survey = null;
        nextMs = nowMs + config.checkIntervalMs();
        if (running.outcome() == Survey.Outcome.FAILED) {
            failed(running, nowMs);
            return 0;
        }
        return running.outcome() == Survey.Outcome.FOUND ? found(running.expiredBelow(), nowMs) : 0;
    }

    /**
     * The log begins later than its facts say: files were taken away by hand, with all that was in them. What the views
     * still know from them is told again, and where the log begins, so that a rebuild comes to the same.
     */
    private void tellStart(long nowMs) {
        target = seams.log().startOffset();
        LOG.warn("event=log_start_missing trimmedTo={} startOffset={}", view.trimmedTo(), target);
        carry(nowMs);
    }

    /** Has the disk looked at elsewhere; null when that is not due now. */
    private @Nullable Survey begin(long nowMs) {
        nextMs = nowMs + config.checkIntervalMs();
        time.observe(view, nowMs);
        if (!demanded && time.paused(nowMs)) {
            return null;
        }
        Survey.Rule rule = new Survey.Rule(
                demanded || isHour(), config.urgentUsedPercent(), time.at(nowMs) - config.retentionMs());
        Survey begun = new Survey(seams.log(), seams.disk(), rule, this::lookAhead);
        if (!seams.background().test(begun)) {
            nextMs = nowMs + RETRY_MS;
            return null;
        }
        survey = begun;
        nextMs = nowMs + FOLLOW_MS;
        return begun;
    }

    /** One view after the other. On the preparer. */
    private PacedTask lookAhead(long startOffset) {
        Queue<PacedTask> left = new ArrayDeque<>();
        views.forEach(each -> left.add(each.lookAhead(startOffset)));
        return () -> {
            if (!left.isEmpty() && !left.element().step()) {
                left.remove();
            }
            return !left.isEmpty();
        };
    }

    private int found(long expired, long nowMs) {
        boolean repeated = expired <= view.trimmedTo();
        if (expired <= seams.log().startOffset() || (repeated && nowMs < repeatMs)) {
            demanded = false;
            return 0;
        }
        target = expired;
        carriedSinceLook = false;
        carry(nowMs);
        return 1;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    private void failed(Survey failedSurvey, long nowMs) {
        failures++;
        if (nowMs >= quietUntilMs) {
            quietUntilMs = nowMs + QUIET_MS;
            LOG.warn(
                    "event=retention_survey_failed failures={} demanded={} retryMs={}",
                    failures,
                    demanded,
                    config.checkIntervalMs(),
                    failedSurvey.failure());
        }
    }

    /** How often the disk could not be looked at since the start. Any thread. */
    public long failures() {
        return failures;
    }

    /** How many frames that had to be carried were found damaged since the start, and given up. Any thread. */
    public long framesLost() {
        return framesLost.get();
    }

    private boolean isHour() {
        int hour = Instant.ofEpochMilli(seams.clock().wallMs())
                .atZone(config.zone())
                .getHour();
        return config.deleteHours().contains(hour);
    }

    private FactBatch newBatch() {
        return new FactBatch(seams, framesLost::incrementAndGet);
    }

    private void carry(long nowMs) {
        FactBatch next = newBatch();
        for (LogView each : views) {
            each.carryForward(target, next);
        }
        next.begin();
        batch = next;
        enter(State.CARRYING, nowMs, "target=" + target);
    }

    private int carried(long nowMs) {
        if (!batch.settled(seams.appliedOffset().getAsLong())) {
            nextMs = nowMs + FOLLOW_MS;
            return 0;
        }
        long live = firstLiveOffset();
        if (live >= target) {
            FactBatch last = newBatch();
            last.fact(new LogTrimmed(target));
            repeatMs = nowMs + REPEAT_MS;
            batch = last;
            enter(State.TRIMMING, nowMs, "carried");
        } else if (batch.appended() > 0) {
            carriedSinceLook = true;
            carry(nowMs);
        } else if (carriedSinceLook) {
            lookAgain(nowMs);
        } else {
            giveUp(nowMs, live);
        }
        return 1;
    }

    /** Views carry what was looked ahead for; more may lie there than they looked for at once. */
    private void lookAgain(long nowMs) {
        Look begun = new Look(() -> lookAhead(target));
        carriedSinceLook = false;
        if (!seams.background().test(begun)) {
            giveUp(nowMs, firstLiveOffset());
            return;
        }
        look = begun;
        enter(State.LOOKING, nowMs, "more_is_left");
    }

    private int looked(long nowMs) {
        if (look == null || !look.done) {
            nextMs = nowMs + FOLLOW_MS;
            return 0;
        }
        look = null;
        carry(nowMs);
        return 1;
    }

    /** Looks ahead once more, on the preparer. What fails is found out by whoever needed it. */
    private static final class Look implements PacedTask {
        private final Supplier<PacedTask> ahead;
        private @Nullable PacedTask looking;
        volatile boolean done;

        Look(Supplier<PacedTask> ahead) {
            this.ahead = ahead;
        }

        @Override
        public boolean step() {
            try {
                PacedTask now = looking == null ? ahead.get() : looking;
                looking = now;
                if (now.step()) {
                    return true;
                }
            } catch (IOException | RuntimeException e) {
                LOG.warn("event=look_ahead_failed", e);
            }
            done = true;
            return false;
        }
    }

    private long firstLiveOffset() {
        long first = Long.MAX_VALUE;
        for (LogView each : views) {
            first = Math.min(first, each.firstLiveOffset());
        }
        return first;
    }

    private void giveUp(long nowMs, long live) {
        if (live != postponedAt || nowMs >= postponedQuietUntilMs) {
            LOG.warn(
                    "event=trim_postponed target={} firstLiveOffset={} factsRefused={} retryMs={}",
                    target,
                    live,
                    batch.refused(),
                    RETRY_MS);
            postponedAt = live;
            postponedQuietUntilMs = nowMs + QUIET_MS;
        }
        enter(State.WATCHING, nowMs, "postponed");
        nextMs = nowMs + RETRY_MS;
    }

    private int trimmed(long nowMs) {
        if (!batch.settled(seams.appliedOffset().getAsLong())) {
            nextMs = nowMs + FOLLOW_MS;
            return 0;
        }
        enter(State.WATCHING, nowMs, batch.appended() > 0 ? "trimmed" : "refused");
        nextMs = nowMs + (batch.appended() > 0 ? config.checkIntervalMs() : RETRY_MS);
        return 1;
    }

    private void enter(State next, long nowMs, String reason) {
        LOG.info("event=retention_state from={} to={} reason={}", state, next, reason);
        state = next;
        nextMs = nowMs + FOLLOW_MS;
    }
}
