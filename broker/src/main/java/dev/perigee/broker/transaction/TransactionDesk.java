package dev.perigee.broker.transaction;

import dev.perigee.broker.check.Appends;
import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.fact.Inbox;
import dev.perigee.broker.query.FrameLookup;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.broker.timer.DueTime;
import dev.perigee.broker.timer.DueTimes;
import dev.perigee.broker.timer.RecallHash;
import dev.perigee.broker.timer.WaitingFrames;
import dev.perigee.broker.timer.Wish;
import dev.perigee.broker.transaction.Outcomes.Closed;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.HalfRolledBack;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.property.PropertyEdit;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.disk.DiskSpace;
import dev.perigee.store.kv.ViewStore;
import dev.perigee.store.log.SegmentLease;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides about halves: the first decision wins, the same again is answered as the first, a contrary one is refused. Whoever
 * decides claims the half on the view loop, until the view has applied what came of it or nothing came of it (R13); others wait for
 * that in the order in which they came.
 *
 * <p>A decision is handed in from any thread. What it needs of the half is read on the view loop when it is small and in memory, else on a cold
 * reader. A commit appends the message, with the mark that closes the half; a rollback appends a fact. The half stays undecided when
 * that fails.
 */
@ThreadSafe
final class TransactionDesk implements Duty {
    /** Decisions that are not answered at most; one more is refused as busy. */
    static final int MAX_WAITING = 10_000;

    /** Larger halves are read on a cold reader, also when they are in memory: the view loop would check and copy them. */
    static final int MAX_READ_BYTES = 64 << 10;

    private static final int MAX_PER_PASS = 64;
    private static final Logger LOG = LoggerFactory.getLogger(TransactionDesk.class);

    /**
     * What it works with.
     *
     * @param view which halves are undecided
     * @param topics which topics there are
     * @param frames reads halves
     * @param sink takes what was decided
     * @param background runs what may wait for the disk elsewhere; false when too much waits there
     * @param times when halves are checked
     * @param due when committed messages are due that wait
     * @param stats counts committed messages as stored
     * @param space what is free on the disk
     * @param wake makes the view loop run soon
     */
    record Parts(
            TransactionView view,
            TopicView topics,
            FrameLookup frames,
            FactSink sink,
            Predicate<Runnable> background,
            HalfTimes times,
            DueTimes due,
            BrokerStats stats,
            Supplier<DiskSpace> space,
            Runnable wake) {}

    private final Parts parts;
    private final Inbox inbox;
    private final AtomicInteger waiting = new AtomicInteger();
    /** Held while a decision is handed in or turned away, so that what is handed in is there when {@link #end} answers it. */
    private final Object door = new Object();
    /** Another broker is the master, so nothing is decided here. Written with {@link #door} held, on the view loop. */
    private volatile boolean ended;

    TransactionDesk(Parts parts) {
        this.parts = parts;
        this.inbox = new Inbox("transactions", parts.wake());
    }

    /** Hands in a decision; it is answered once. Any thread. */
    void submit(Decision decision) {
        if (waiting.incrementAndGet() > MAX_WAITING) {
            answer(decision, busy("more than " + MAX_WAITING + " decisions about transactions wait"));
        } else if (!enter(decision)) {
            answer(decision, masterNoMore());
        }
    }

    private boolean enter(Decision decision) {
        synchronized (door) {
            if (ended) {
                return false;
            }
            inbox.post(() -> take(decision)); // this thread may run it, and end(), at once
            return true;
        }
    }

    /** This broker is the master again. On the view loop. */
    void begin() {
        setEnded(false);
    }

    private void setEnded(boolean now) {
        synchronized (door) {
            ended = now;
        }
    }

    /** Another broker is to be the master: what waits here is answered, for nobody would for long. On the view loop. */
    void end() {
        setEnded(true);
        parts.view().endClaims(); // who waits for one is freed
        parts.view().window().takeFreed().forEach(inbox::guard);
        inbox.run(Integer.MAX_VALUE);
    }

    private static Refusal masterNoMore() {
        return busy("this broker is the master no more, and did not decide");
    }

    @Override
    public int doWork(long nowMs) {
        List<Runnable> freed = parts.view().window().takeFreed();
        freed.forEach(inbox::guard);
        return freed.size() + inbox.run(MAX_PER_PASS);
    }

    @Override
    public long nextDeadlineMs() {
        return parts.view().window().hasFreed() ? Long.MIN_VALUE : Long.MAX_VALUE;
    }

    /** On the view loop. */
    private void take(Decision decision) {
        if (ended) {
            answer(decision, masterNoMore());
            return;
        }
        HalfWindow window = parts.view().window();
        long birth = decision.birth();
        if (window.isClaimed(birth)) {
            if (!window.await(birth, () -> take(decision))) {
                answer(decision, busy("more than " + HalfWindow.MAX_LINE + " decisions about one transaction wait"));
            }
            return;
        }
        if (window.isFull()) {
            answer(decision, busy("more than " + HalfWindow.MAX_CLAIMS + " transactions are decided at the same time"));
            return;
        }
        window.claim(birth);
        Half half = window.known(birth);
        Closed closed = parts.view().closed(birth);
        Decision claimed = decision.claimedIn(parts.view().leadership());
        Runnable decide = () -> decide(claimed, half, closed);
        if (half != null && half.sizeBytes() <= MAX_READ_BYTES && parts.frames().isLoaded(half.offset())) {
            decide.run();
        } else if (!parts.background().test(decide)) {
            end(claimed, busy("too many reads of old messages wait"));
        }
    }

    /** On the view loop or a cold reader. Whatever fails here, the claim ends and an answer is given. */
    private void decide(Decision decision, @Nullable Half half, @Nullable Closed closed) {
        try {
            Half found = half == null && closed == null ? stored(decision.birth()) : half;
            read(decision, found, closed);
        } catch (IOException
                | RuntimeException
                | Error e) { // an InternalError when the disk does not give what is mapped
            LOG.error("event=transaction_not_decided commitLogOffset={}", decision.birth(), e);
            end(decision, new Refusal(ResponseCode.SYSTEM_ERROR, "the half cannot be read or decided now: " + e));
        }
    }

    private @Nullable Half stored(long birth) throws IOException {
        ViewStore store = parts.view().store();
        if (store == null || birth < 0) {
            return null;
        }
        Optional<byte[]> value = store.get(HalfKeys.birth(birth));
        return value.map(HalfKeys::half).orElse(null);
    }

    private void read(Decision decision, @Nullable Half half, @Nullable Closed closed) {
        long readAt = half != null ? half.offset() : closed != null ? closed.lastOffset() : decision.birth();
        SegmentLease lease = parts.frames().find(readAt);
        if (lease == null) {
            end(
                    decision,
                    decision.noSuchHalf()); // also where it was decided: nobody can tell any more whether this one may
            // know
            return;
        }
        try {
            MessageFrame frame = new MessageFrame().wrap(lease.bytes(), 0);
            Refusal refusal = half == null ? closedHalf(decision, frame, closed) : undecided(decision, frame, half);
            if (refusal != null || half == null) {
                end(decision, refusal);
            } else if (decision.outcome() == Outcome.COMMITTED) {
                commit(decision, frame, half);
            } else {
                rollBack(decision, half);
            }
        } finally {
            lease.release();
        }
    }

    private @Nullable Refusal undecided(Decision decision, MessageFrame frame, Half half) {
        Refusal refusal = decision.against(frame, half.queueOffset());
        if (refusal != null || decision.header().fromTransactionCheck()) {
            return refusal;
        }
        String immunity = frame.property(PropertyKey.CHECK_IMMUNITY_TIME);
        return parts.times().isImmunityOver(immunity, half)
                ? new Refusal(
                        ResponseCode.ILLEGAL_OPERATION,
                        "the half at commitLogOffset " + decision.birth() + " is older than its "
                                + PropertyKey.CHECK_IMMUNITY_TIME + "=" + immunity
                                + ": only the answer to a check decides about it now")
                : null;
    }

    /** Null for the same decision again. The queue offset of a copy is not that of the first frame, so it is not compared. */
    private static @Nullable Refusal closedHalf(Decision decision, MessageFrame frame, @Nullable Closed closed) {
        boolean first = frame.physicalOffset() == decision.birth();
        if (closed == null && !isFirst(frame)) {
            return decision.noSuchHalf(); // a copy lies there, which nobody knows a half by
        }
        Refusal refusal = decision.against(
                frame, first ? frame.queueOffset() : decision.header().tranStateTableOffset());
        return refusal != null ? refusal : again(decision, closed == null ? null : closed.outcome());
    }

    private static boolean isFirst(MessageFrame frame) {
        String text = frame.property(PropertyKey.HALF_MARK);
        HalfMark mark = text == null ? null : HalfMark.parse(text);
        return mark != null && mark.kind() == HalfMark.Kind.FIRST;
    }

    private static @Nullable Refusal again(Decision decision, @Nullable Outcome before) {
        return before == decision.outcome() ? null : decision.decidedBefore(before);
    }

    private void commit(Decision decision, MessageFrame frame, Half half) {
        HalfFrames.Home told = HalfFrames.home(frame);
        TopicConfig topic = parts.topics().current().find(told.topic());
        if (topic == null) {
            end(decision, topicGone(told.topic()));
            return;
        }
        int queueId = told.queueId() % Math.max(1, topic.writeQueueNums());
        HalfFrames.Home home = new HalfFrames.Home(told.topic(), queueId);
        DueTime due = parts.due().of(Wish.of(frame));
        if (due instanceof DueTime.Bad bad) {
            end(
                    decision,
                    new Refusal(
                            ResponseCode.MESSAGE_ILLEGAL,
                            "property " + bad.remark() + " of the half; it stays undecided"));
            return;
        }
        PropertyEdit properties = HalfFrames.committedProperties(frame, half);
        FrameDraft draft = HalfFrames.committed(frame, half, home, properties);
        if (due instanceof DueTime.At at) { // one frame closes the half and begins to wait
            int unused = WaitingFrames.delay(draft, properties, home.topic(), home.queueId(), at, RecallHash.NONE);
            append(decision, WaitingFrames.topicOf(at), WaitingFrames.queueOf(at), draft);
        } else {
            append(decision, home.topic(), home.queueId(), draft);
        }
    }

    private void append(Decision decision, String topic, int queueId, FrameDraft draft) {
        int sizeBytes = draft.sizeBytes();
        parts.sink().append(topic, queueId, draft, FactSink.Room.ORDINARY, (result, endOffset, queueOffset) -> {
            if (endOffset >= 0) {
                parts.stats().stored(topic, 1, sizeBytes);
            }
            appended(decision, result, endOffset, topic);
        });
    }

    private static Refusal topicGone(String topic) {
        return new Refusal(
                ResponseCode.TOPIC_NOT_EXIST,
                "topic[" + topic + "] of the half does not exist any more; the half stays undecided");
    }

    private void rollBack(Decision decision, Half half) {
        String reason = "by group " + decision.header().producerGroup();
        parts.sink()
                .append(
                        new HalfRolledBack(List.of(half.ref()), reason),
                        (result, endOffset) -> appended(decision, result, endOffset, ""));
    }

    /** The claim of what is in the log ends when that is applied. On the log loop, or at once where it was refused. */
    private void appended(Decision decision, AppendResult result, long endOffset, String topic) {
        if (endOffset >= 0) {
            answer(decision, result == AppendResult.APPENDED ? null : Appends.refusal(result));
        } else if (result == AppendResult.TOPIC_DELETED) {
            end(decision, topicGone(topic));
        } else {
            end(decision, Appends.refusal(result, parts.space().get()));
        }
    }

    /** Nothing came of the claim. */
    private void end(Decision decision, @Nullable Refusal refusal) {
        inbox.post(() -> {
            if (decision.leadership() == parts.view().leadership()) { // else somebody else may have it
                parts.view().window().letGo(decision.birth());
            }
        });
        answer(decision, refusal);
    }

    private void answer(Decision decision, @Nullable Refusal refusal) {
        waiting.decrementAndGet();
        decision.reply().guard(() -> {
            if (refusal == null) {
                decision.reply().ok(NoHeader.NONE);
            } else {
                refusal.answer(decision.reply());
            }
        });
    }

    private static Refusal busy(String why) {
        return new Refusal(ResponseCode.SYSTEM_BUSY, "[OVERLOAD]broker busy: " + why + ", try again");
    }
}
