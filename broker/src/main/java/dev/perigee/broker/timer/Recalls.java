package dev.perigee.broker.timer;

import dev.perigee.broker.check.Appends;
import dev.perigee.broker.fact.AppliedLog;
import dev.perigee.broker.fact.FactAppender;
import dev.perigee.broker.fact.WaitingReply;
import dev.perigee.broker.fact.WaitingRequests;
import dev.perigee.broker.query.FrameLookup;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.TimerClosed;
import dev.perigee.protocol.fact.TimerClosed.TimerRef;
import dev.perigee.protocol.header.send.RecallMessageResponse;
import dev.perigee.protocol.header.send.RecallOutcome;
import dev.perigee.protocol.message.RecallHandle;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.kv.ViewStore;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes back messages that wait. Many are looked for together, elsewhere, for that waits for the disk; here it is decided what
 * becomes of each, under the same claims that deliveries and copies take (R13), and answered when the fact that says so is
 * applied. All messages of a handle are taken back or none: while one of them is on its way elsewhere, it is looked again. At
 * most {@link #MAX_ASKED} wait; one more is refused as busy.
 */
@OwnedBy("view loop")
public final class Recalls implements Duty {
    /** Requests that wait at most. */
    static final int MAX_ASKED = 10_000;

    /** Looked for together. */
    private static final int MAX_TOGETHER = 256;

    /** What cannot be decided now is looked at again after this long. */
    private static final long AGAIN_MS = 10;

    private static final Logger LOG = LoggerFactory.getLogger(Recalls.class);

    /**
     * What it works with.
     *
     * @param view which messages wait
     * @param frames reads them
     * @param sink takes facts
     * @param log tells when a fact is applied
     * @param waiting bounds how long a request waits
     * @param background runs what may wait for the disk elsewhere; false when too much waits there
     * @param timer tells whether a message is due
     * @param clock measures pauses, and tells what is past for clients
     * @param wake makes the view loop run soon
     * @param region what answers carry
     */
    public record Parts(
            TimerView view,
            FrameLookup frames,
            FactSink sink,
            AppliedLog log,
            WaitingRequests waiting,
            Predicate<Runnable> background,
            TimerClock timer,
            Clock clock,
            Runnable wake,
            String region) {}

    /** One request, which has perhaps taken back some of very many already. */
    private record Asked(RecallHandle handle, WaitingReply<RecallMessageResponse> reply, boolean tookSome) {}

    /** What one request takes back, and whether more is left to be looked for. */
    private record Taken(Asked request, List<WaitingMessage> messages, boolean more) {}

    private final Parts parts;
    private final FactAppender facts;
    private final RecallLookup lookup;
    private final Queue<Asked> asked = new ConcurrentLinkedQueue<>();
    /** Requests in there, looked for or on their way to the log. */
    private final AtomicInteger askedCount = new AtomicInteger();

    private final Queue<Runnable> ended = new ConcurrentLinkedQueue<>();
    private boolean looking;
    private long againMs = Long.MIN_VALUE;

    public Recalls(Parts parts) {
        this.parts = parts;
        this.facts = parts.sink()::append;
        this.lookup = new RecallLookup(parts.frames());
    }

    /** The header of an answer that took nothing back and knows no more. */
    RecallMessageResponse nothing() {
        return new RecallMessageResponse(null, null, parts.region());
    }

    /**
     * A request begins to wait, with all that its handle holds. Any thread.
     *
     * @return null when it may not wait; then it is answered
     */
    @Nullable
    WaitingReply<RecallMessageResponse> hold(String handleText, Reply<RecallMessageResponse> reply) {
        long bytes = 2L * handleText.length();
        return parts.waiting().hold(reply, "its recall to be applied", bytes, refusal -> refusal.answer(reply));
    }

    /** Takes a message back, and answers. Any thread. */
    void ask(RecallHandle handle, WaitingReply<RecallMessageResponse> reply) {
        if (askedCount.incrementAndGet() > MAX_ASKED) {
            askedCount.decrementAndGet();
            reply.fail(ResponseCode.SYSTEM_BUSY, "[OVERLOAD]too many recalls wait, limit " + MAX_ASKED + ", try again");
            return;
        }
        asked.add(new Asked(handle, reply, false));
        parts.wake().run();
    }

    /** Requests that hold a place among {@link #MAX_ASKED}. */
    int asked() {
        return askedCount.get();
    }

    @Override
    public int doWork(long nowMs) {
        int work = 0;
        for (Runnable task = ended.poll(); task != null; task = ended.poll()) {
            task.run();
            work++;
        }
        dropExpired();
        if (!looking && !asked.isEmpty() && nowMs >= againMs) {
            look();
            work++;
        }
        return work;
    }

    /** What waited too long leaves, also while a look takes its time; the oldest come first, but for those asked again. */
    private void dropExpired() {
        for (Asked oldest = asked.peek(); oldest != null && oldest.reply().isOver(); oldest = asked.peek()) {
            asked.remove();
            askedCount.decrementAndGet();
        }
    }

    @Override
    public long nextDeadlineMs() {
        return looking || asked.isEmpty() ? Long.MAX_VALUE : againMs;
    }

    private void look() {
        List<Asked> together = new ArrayList<>();
        while (together.size() < MAX_TOGETHER && !asked.isEmpty()) {
            Asked next = asked.remove();
            if (next.reply().isOver()) {
                askedCount.decrementAndGet();
            } else {
                together.add(next);
            }
        }
        TimerView view = parts.view();
        ViewStore store = view.store();
        if (store == null || together.isEmpty()) {
            together.forEach(each -> decide(each, RecallLookup.Found.NOTHING));
            return;
        }
        RecallLookup.Facts facts = new RecallLookup.Facts(view.forgottenBelow(), view.reachedOffset());
        looking = true;
        view.window().beginLookup();
        if (!parts.background().test(() -> run(together, store, facts))) {
            together.forEach(this::again);
            lookEnded();
        }
    }

    private void again(Asked request) {
        asked.add(request);
        againMs = parts.clock().monotonicMs() + AGAIN_MS;
    }

    private void lookEnded() {
        looking = false;
        parts.view().window().endLookup();
    }

    /** On a cold reader. */
    private void run(List<Asked> together, ViewStore store, RecallLookup.Facts facts) {
        List<RecallLookup.Found> found = new ArrayList<>();
        for (Asked each : together) {
            found.add(find(each.handle(), store, facts));
        }
        post(() -> decide(together, found));
    }

    /** What fails for one is no other's trouble. */
    private RecallLookup.Found find(RecallHandle handle, ViewStore store, RecallLookup.Facts facts) {
        try {
            return lookup.find(handle, store, facts);
        } catch (IOException
                | RuntimeException
                | Error e) { // an InternalError when the disk does not give what is mapped
            LOG.error("event=recall_lookup_failed topic={} uniqueKey={}", handle.topic(), handle.uniqueKey(), e);
            return RecallLookup.Found.failed("the disk did not tell what waits: " + e);
        }
    }

    private void post(Runnable task) {
        ended.add(task);
        parts.wake().run();
    }

    private void decide(List<Asked> together, List<RecallLookup.Found> found) {
        List<Taken> taken = new ArrayList<>();
        for (int i = 0; i < together.size(); i++) {
            Taken mine = decide(together.get(i), found.get(i));
            if (!mine.messages().isEmpty()) {
                taken.add(mine);
            }
        }
        lookEnded();
        if (!taken.isEmpty()) {
            append(taken);
        }
    }

    /** Claims what can be taken back, all or nothing; answers, or asks again, when there is nothing. */
    private Taken decide(Asked request, RecallLookup.Found found) {
        TimerWindow window = parts.view().window();
        boolean unsettled = found.moved();
        boolean tooLate = false;
        long nowMs = parts.timer().nowMs();
        for (WaitingMessage each : found.waiting()) {
            if (window.changedInLookup(each.birth)) {
                unsettled = true;
                continue;
            }
            switch (window.recallable(each, nowMs)) {
                case FREE -> {}
                case BUSY -> unsettled = true;
                case TOO_LATE -> tooLate = true;
            }
        }
        if (found.failure() != null) {
            send(request, ResponseCode.SYSTEM_ERROR, found.failure());
        } else if (unsettled) {
            again(request);
        } else if (tooLate) {
            answer(request, RecallOutcome.TOO_LATE);
        } else if (!found.waiting().isEmpty()) {
            found.waiting().forEach(window::recall);
            return new Taken(request, found.waiting(), found.more());
        } else {
            answer(request, nothingWaits(request, found.recalled()));
        }
        return new Taken(request, List.of(), false);
    }

    private RecallOutcome nothingWaits(Asked request, boolean recalled) {
        if (request.tookSome()) {
            return RecallOutcome.RECALLED;
        }
        if (recalled) {
            return RecallOutcome.ALREADY_RECALLED;
        }
        boolean past = request.handle().timeMs() - 1 <= parts.clock().wallMs();
        return past ? RecallOutcome.TOO_LATE : RecallOutcome.UNKNOWN;
    }

    private void append(List<Taken> taken) {
        List<TimerRef> refs = taken.stream()
                .flatMap(each -> each.messages().stream())
                .map(WaitingMessage::ref)
                .toList();
        if (refs.size() > TimerClosed.MAX_ENTRIES && taken.size() > 1) {
            taken.forEach(each -> append(List.of(each)));
            return;
        }
        facts.appendGuarded(new TimerClosed(refs, "recalled", true), (result, endOffset) -> {
            if (endOffset < 0) {
                post(() -> taken.forEach(each -> failed(each, result)));
                return;
            }
            Runnable goOn = () -> taken.forEach(each -> appended(each, result));
            if (!parts.log().whenApplied(endOffset, goOn)) {
                goOn.run(); // it is in the log, and only not seen yet
            }
        });
    }

    private void failed(Taken taken, AppendResult result) {
        taken.messages().forEach(parts.view().window()::letGo);
        send(taken.request(), Appends.code(result), Appends.remark(result));
    }

    private void appended(Taken taken, AppendResult result) {
        Asked request = taken.request();
        if (result != AppendResult.APPENDED) {
            send(request, Appends.code(result), Appends.remark(result));
        } else if (taken.more()) {
            post(() -> asked.add(new Asked(request.handle(), request.reply(), true)));
        } else {
            answer(request, RecallOutcome.RECALLED);
        }
    }

    private void send(Asked request, int code, String remark) {
        askedCount.decrementAndGet();
        request.reply().send(code, remark, nothing(), null);
    }

    private void answer(Asked request, RecallOutcome outcome) {
        RecallHandle handle = request.handle();
        boolean gone = outcome == RecallOutcome.RECALLED || outcome == RecallOutcome.ALREADY_RECALLED;
        askedCount.decrementAndGet();
        request.reply()
                .send(
                        code(outcome),
                        remark(outcome, handle),
                        new RecallMessageResponse(gone ? handle.uniqueKey() : null, outcome.name(), parts.region()),
                        null);
    }

    private static int code(RecallOutcome outcome) {
        return switch (outcome) {
            case RECALLED, ALREADY_RECALLED -> ResponseCode.SUCCESS;
            case TOO_LATE -> ResponseCode.ILLEGAL_OPERATION;
            case UNKNOWN -> ResponseCode.QUERY_NOT_FOUND;
        };
    }

    private @Nullable String remark(RecallOutcome outcome, RecallHandle handle) {
        long dueMs = handle.timeMs() - 1;
        return switch (outcome) {
            case RECALLED -> null;
            case ALREADY_RECALLED -> "message [" + handle.uniqueKey() + "] was recalled before";
            case TOO_LATE ->
                "too late: message [" + handle.uniqueKey() + "] was due at " + dueMs + ", now is "
                        + parts.clock().wallMs();
            case UNKNOWN ->
                "no message [" + handle.uniqueKey() + "] of topic[" + handle.topic() + "] waits until " + dueMs;
        };
    }
}
