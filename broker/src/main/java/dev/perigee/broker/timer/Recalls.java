package dev.perigee.broker.timer;

import dev.perigee.broker.check.Appends;
import dev.perigee.broker.fact.AppliedLog;
import dev.perigee.broker.fact.WaitingReply;
import dev.perigee.broker.fact.WaitingRequests;
import dev.perigee.broker.query.FrameLookup;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.TimerClosed;
import dev.perigee.protocol.fact.TimerRef;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes back messages that wait. Many are looked for together, elsewhere, for that waits for the disk; here it is decided what
 * becomes of each, under the same claims that deliveries and copies take (R13), and answered when the fact that says so is
 * applied. At most {@link #MAX_ASKED} wait; one more is refused as busy.
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

    /** One request. */
    private record Asked(RecallHandle handle, WaitingReply<RecallMessageResponse> reply) {}

    private final Parts parts;
    private final RecallLookup lookup;
    private final Queue<Asked> asked = new ConcurrentLinkedQueue<>();
    private final AtomicInteger askedCount = new AtomicInteger();
    private final Queue<Runnable> ended = new ConcurrentLinkedQueue<>();
    private boolean looking;
    private long againMs = Long.MIN_VALUE;

    public Recalls(Parts parts) {
        this.parts = parts;
        this.lookup = new RecallLookup(parts.frames());
    }

    /** The header of an answer that took nothing back and knows no more. */
    RecallMessageResponse nothing() {
        return new RecallMessageResponse(null, null, parts.region());
    }

    /** Takes a message back, and answers. Any thread. */
    void ask(RecallHandle handle, Reply<RecallMessageResponse> reply) {
        if (askedCount.incrementAndGet() > MAX_ASKED) {
            askedCount.decrementAndGet();
            reply.fail(ResponseCode.SYSTEM_BUSY, "[OVERLOAD]too many recalls wait, limit " + MAX_ASKED + ", try again");
            return;
        }
        WaitingReply<RecallMessageResponse> held =
                parts.waiting().hold(reply, "its recall to be applied").onAnswer(askedCount::decrementAndGet);
        asked.add(new Asked(handle, held));
        parts.wake().run();
    }

    @Override
    public int doWork(long nowMs) {
        int work = 0;
        for (Runnable task = ended.poll(); task != null; task = ended.poll()) {
            task.run();
            work++;
        }
        if (!looking && !asked.isEmpty() && nowMs >= againMs) {
            look();
            work++;
        }
        return work;
    }

    @Override
    public long nextDeadlineMs() {
        return looking || asked.isEmpty() ? Long.MAX_VALUE : againMs;
    }

    private void look() {
        List<Asked> together = new ArrayList<>();
        while (together.size() < MAX_TOGETHER && !asked.isEmpty()) {
            Asked next = asked.remove();
            if (!next.reply().isOver()) {
                together.add(next);
            }
        }
        ViewStore store = parts.view().store();
        if (store == null || together.isEmpty()) {
            together.forEach(each -> decide(each, new RecallLookup.Found(List.of(), false, false), Set.of()));
            return;
        }
        looking = true;
        parts.view().window().beginLookup();
        if (!parts.background().test(() -> run(together, store))) {
            again(together);
            lookEnded();
        }
    }

    private void again(List<Asked> together) {
        asked.addAll(together);
        againMs = parts.clock().monotonicMs() + AGAIN_MS;
    }

    private Set<Long> lookEnded() {
        looking = false;
        return parts.view().window().endLookup();
    }

    /** On a cold reader. */
    private void run(List<Asked> together, ViewStore store) {
        try {
            List<RecallLookup.Found> found = new ArrayList<>();
            for (Asked each : together) {
                found.add(lookup.find(each.handle(), store));
            }
            post(() -> decide(together, found));
        } catch (IOException | RuntimeException | Error e) { // whatever it is, the look ends
            LOG.error("event=recall_lookup_failed count={}", together.size(), e);
            post(() -> {
                lookEnded();
                together.forEach(each -> each.reply()
                        .send(ResponseCode.SYSTEM_ERROR, "the disk did not tell what waits: " + e, nothing(), null));
            });
        }
    }

    private void post(Runnable task) {
        ended.add(task);
        parts.wake().run();
    }

    private void decide(List<Asked> together, List<RecallLookup.Found> found) {
        Set<Long> closedMeanwhile = lookEnded();
        Map<Asked, List<WaitingMessage>> claimed = new HashMap<>();
        for (int i = 0; i < together.size(); i++) {
            List<WaitingMessage> mine = decide(together.get(i), found.get(i), closedMeanwhile);
            if (!mine.isEmpty()) {
                claimed.put(together.get(i), mine);
            }
        }
        if (!claimed.isEmpty()) {
            append(claimed);
        }
    }

    /** Claims what can be taken back; answers, or asks again, when there is nothing. */
    private List<WaitingMessage> decide(Asked request, RecallLookup.Found found, Set<Long> closedMeanwhile) {
        List<WaitingMessage> claimed = new ArrayList<>();
        boolean unsettled = found.moved();
        boolean tooLate = false;
        long nowMs = parts.timer().nowMs();
        for (WaitingMessage each : found.waiting()) {
            if (closedMeanwhile.contains(each.birth)) {
                unsettled = true;
                continue;
            }
            switch (parts.view().window().recall(each, nowMs)) {
                case CLAIMED -> claimed.add(each);
                case BUSY -> unsettled = true;
                case TOO_LATE -> tooLate = true;
            }
        }
        if (!claimed.isEmpty()) {
            return claimed;
        }
        boolean past = request.handle().timeMs() - 1 <= parts.clock().wallMs();
        if (unsettled) {
            again(List.of(request));
        } else if (found.recalled() && !tooLate) {
            answer(request, RecallOutcome.ALREADY_RECALLED);
        } else {
            answer(request, tooLate || past ? RecallOutcome.TOO_LATE : RecallOutcome.UNKNOWN);
        }
        return claimed;
    }

    private void append(Map<Asked, List<WaitingMessage>> claimed) {
        List<TimerRef> refs = claimed.values().stream()
                .flatMap(List::stream)
                .map(WaitingMessage::ref)
                .toList();
        if (refs.size() > TimerClosed.MAX_ENTRIES && claimed.size() > 1) {
            claimed.forEach((request, mine) -> append(Map.of(request, mine)));
            return;
        }
        parts.sink().append(new TimerClosed(refs, "recalled", true), (result, endOffset) -> {
            if (endOffset < 0) {
                post(() -> failed(claimed, result));
                return;
            }
            Runnable answer = () -> claimed.keySet().forEach(each -> appended(each, result));
            if (!parts.log().whenApplied(endOffset, answer)) {
                answer.run(); // it is in the log, and only not seen yet
            }
        });
    }

    private void failed(Map<Asked, List<WaitingMessage>> claimed, AppendResult result) {
        claimed.forEach((request, mine) -> {
            mine.forEach(parts.view().window()::letGo);
            request.reply().send(Appends.code(result), Appends.remark(result), nothing(), null);
        });
    }

    private void appended(Asked request, AppendResult result) {
        if (result == AppendResult.APPENDED) {
            answer(request, RecallOutcome.RECALLED);
        } else {
            request.reply().send(Appends.code(result), Appends.remark(result), nothing(), null);
        }
    }

    private void answer(Asked request, RecallOutcome outcome) {
        RecallHandle handle = request.handle();
        boolean gone = outcome == RecallOutcome.RECALLED || outcome == RecallOutcome.ALREADY_RECALLED;
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
