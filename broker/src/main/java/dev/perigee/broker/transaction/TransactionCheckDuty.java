package dev.perigee.broker.transaction;

import dev.perigee.broker.client.Member;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.fact.FactDesk;
import dev.perigee.broker.query.FrameLookup;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.broker.transaction.CheckRound.Due;
import dev.perigee.broker.transaction.CheckRound.Seen;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.HalfRef;
import dev.perigee.protocol.fact.HalfRolledBack;
import dev.perigee.protocol.fact.HalvesChecked;
import dev.perigee.protocol.header.send.CheckTransactionHeader;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.HostBytes;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.kv.ViewStore;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.SegmentLease;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks producers what became of their undecided halves (39), and sets aside those that nobody decides about. A round looks at what is
 * due, and at no more; one round runs at a time.
 *
 * <p>That a half was asked for is in the log before anybody is asked, so that no restart asks more often than it should. While no producer of
 * its group is connected a half is looked at ever more seldom, up to {@value #MAX_ABSENT_INTERVALS} intervals, and that counts as no check.
 */
@OwnedBy("view loop")
final class TransactionCheckDuty implements Duty {
    /** How much more seldom than usual a half is looked at, at most, while nobody of its group is connected. */
    static final int MAX_ABSENT_INTERVALS = 8;
    /** Groups without producers that are remembered; of one more each look is as the first. */
    static final int MAX_ABSENT_GROUPS = 10_000;

    private static final long PACE_MS = 20;
    private static final long RETRY_MS = 1_000;
    private static final Logger LOG = LoggerFactory.getLogger(TransactionCheckDuty.class);

    /**
     * What it works with.
     *
     * @param view which halves are undecided
     * @param producers the connected producers of a group
     * @param log tells where it begins
     * @param frames reads halves
     * @param sink takes facts and what is set aside
     * @param desk goes on when facts are applied
     * @param background runs what waits for the disk elsewhere; false when too much waits there
     * @param times when halves are checked
     * @param targets chooses whom to ask
     * @param identity who asks
     * @param stats counts what is set aside as stored
     * @param clock measures pauses
     * @param wake makes the view loop run soon
     */
    record Parts(
            TransactionView view,
            Function<String, List<Member>> producers,
            CommitLog log,
            FrameLookup frames,
            FactSink sink,
            FactDesk desk,
            Predicate<Runnable> background,
            HalfTimes times,
            CheckTargets targets,
            BrokerIdentity identity,
            BrokerStats stats,
            Clock clock,
            Runnable wake) {}

    /** A question to a producer. */
    private record Question(Member member, Half half, Seen seen) {}

    /** Halves that are told of by one fact. */
    private record Turn(long nextCheckMs, boolean counted) {}

    private final Parts parts;
    private final byte[] storeHost;
    private final Queue<Runnable> inbox = new ConcurrentLinkedQueue<>();
    private final Map<String, Long> absentSinceMs = new HashMap<>(); // by group; monotonic
    private boolean looking;
    private int onTheirWay; // facts and frames of this round
    private long againMs = Long.MIN_VALUE;

    TransactionCheckDuty(Parts parts) {
        this.parts = parts;
        this.storeHost = HostBytes.encode(
                new InetSocketAddress(parts.identity().host(), parts.identity().port()));
    }

    private void post(Runnable task) {
        inbox.add(task);
        parts.wake().run();
    }

    @Override
    public int doWork(long nowMs) {
        int work = 0;
        for (Runnable task = inbox.poll(); task != null; task = inbox.poll()) {
            task.run();
            work++;
        }
        return work + look(nowMs);
    }

    @Override
    public long nextDeadlineMs() {
        long nextMs = parts.view().window().nextCheckMs();
        if (looking || onTheirWay > 0 || nextMs == Long.MAX_VALUE) {
            return Long.MAX_VALUE;
        }
        long waitMs = Math.max(0, nextMs - parts.times().nowMs());
        return Math.max(againMs, parts.clock().monotonicMs() + waitMs);
    }

    private int look(long nowMs) {
        HalfWindow window = parts.view().window();
        ViewStore store = parts.view().store();
        long wallMs = parts.times().nowMs();
        if (looking || onTheirWay > 0 || nowMs < againMs || store == null || window.nextCheckMs() > wallMs) {
            return 0;
        }
        long fromMs = window.beginLook();
        looking = true;
        if (!parts.background().test(() -> look(store, fromMs, wallMs))) {
            lookFailed(fromMs);
        }
        return 1;
    }

    /** On a cold reader. */
    private void look(ViewStore store, long fromMs, long wallMs) {
        try {
            CheckRound round = CheckRound.look(store, parts.frames(), fromMs, wallMs);
            post(() -> looked(round, wallMs));
        } catch (IOException | RuntimeException | Error e) { // whatever it is, the look ends
            LOG.error("event=transactions_not_checked retryMs={}", RETRY_MS, e);
            post(() -> lookFailed(fromMs));
        }
    }

    private void lookFailed(long fromMs) {
        looking = false;
        againMs = parts.clock().monotonicMs() + RETRY_MS;
        parts.view().window().endLook(fromMs);
    }

    private void looked(CheckRound round, long wallMs) {
        HalfWindow window = parts.view().window();
        Map<Turn, List<Half>> turns = new LinkedHashMap<>();
        List<Question> questions = new ArrayList<>();
        List<Half> gone = new ArrayList<>();
        long nextMs = round.nextMs();
        for (Due due : round.due()) {
            Half half = due.half();
            if (window.isChanged(half.birth())) {
                continue; // it is another now, and the window knows when that one is due
            }
            if (window.isClaimed(half.birth()) || window.isFull()) {
                nextMs = Math.min(nextMs, half.nextCheckMs());
                continue;
            }
            window.claim(half.birth());
            Seen seen = due.seen();
            if (seen == null) {
                unreadable(half, wallMs, turns, gone);
            } else {
                check(new Checked(half, seen, wallMs), turns, questions);
            }
        }
        looking = false;
        againMs = parts.clock().monotonicMs() + PACE_MS;
        window.endLook(nextMs);
        turns.forEach((turn, halves) -> tell(
                new HalvesChecked(refs(halves), turn.nextCheckMs(), turn.counted()),
                halves,
                () -> ask(halves, questions)));
        if (!gone.isEmpty()) {
            tell(new HalfRolledBack(refs(gone), "its frame is gone"), gone, () -> {});
        }
    }

    private static List<HalfRef> refs(List<Half> halves) {
        return halves.stream().map(Half::ref).toList();
    }

    /** Closed only when the log no longer reaches back to it; what lies there may be readable another time. */
    private void unreadable(Half half, long wallMs, Map<Turn, List<Half>> turns, List<Half> gone) {
        LOG.error("event=half_unreadable offset={} birth={}", half.offset(), half.birth());
        if (half.offset() < parts.log().startOffset()) {
            gone.add(half);
        } else {
            add(turns, new Turn(wallMs + parts.times().intervalMs(null), false), half);
        }
    }

    private static void add(Map<Turn, List<Half>> turns, Turn turn, Half half) {
        turns.computeIfAbsent(turn, key -> new ArrayList<>()).add(half);
    }

    /** A half whose turn it is. */
    private record Checked(Half half, Seen seen, long wallMs) {}

    private void check(Checked checked, Map<Turn, List<Half>> turns, List<Question> questions) {
        Seen seen = checked.seen();
        Half half = checked.half();
        int maxChecks = parts.times().maxChecks(seen.maxTimes());
        if (half.checks() >= maxChecks) {
            setAside(half, "no decision after " + half.checks() + " checks, limit " + maxChecks);
            return;
        }
        long nowMs = parts.clock().monotonicMs();
        long intervalMs = parts.times().intervalMs(seen.interval());
        Member member = parts.targets().pick(parts.producers().apply(seen.group()), nowMs);
        if (member != null) {
            absentSinceMs.remove(seen.group());
            questions.add(new Question(member, half, seen));
            add(turns, new Turn(checked.wallMs() + intervalMs, true), half);
        } else if (checked.wallMs() - seen.storedMs() >= parts.times().keptMs()) {
            setAside(
                    half,
                    "no producer of its group was connected for "
                            + TimeUnit.MILLISECONDS.toHours(checked.wallMs() - seen.storedMs()) + " hours");
        } else {
            add(turns, new Turn(checked.wallMs() + absentMs(seen.group(), intervalMs, nowMs), false), half);
        }
    }

    /** As long as nobody has been there already: each wait is about twice the one before. */
    private long absentMs(String group, long intervalMs, long nowMs) {
        if (absentSinceMs.size() >= MAX_ABSENT_GROUPS && !absentSinceMs.containsKey(group)) {
            return intervalMs;
        }
        long sinceMs = absentSinceMs.computeIfAbsent(group, name -> nowMs);
        return Math.max(intervalMs, Math.min(nowMs - sinceMs, MAX_ABSENT_INTERVALS * intervalMs));
    }

    /** Appends a fact about claimed halves; goes on when it is applied, which ends the claims. */
    private void tell(Fact fact, List<Half> halves, Runnable applied) {
        onTheirWay++;
        parts.sink()
                .append(
                        fact,
                        (result, endOffset) -> parts.desk()
                                .afterAppend(
                                        result,
                                        endOffset,
                                        () -> {
                                            onTheirWay--;
                                            applied.run();
                                        },
                                        () -> {
                                            LOG.warn(
                                                    "event=transactions_not_checked result={} retryMs={}",
                                                    result,
                                                    RETRY_MS);
                                            failed(halves);
                                        }));
    }

    private void failed(List<Half> halves) {
        HalfWindow window = parts.view().window();
        onTheirWay--;
        againMs = parts.clock().monotonicMs() + RETRY_MS;
        for (Half half : halves) {
            window.letGo(half.birth());
            window.dueAt(half.nextCheckMs());
        }
    }

    private void ask(List<Half> halves, List<Question> questions) {
        Map<Long, Question> byBirth = new HashMap<>();
        questions.forEach(question -> byBirth.put(question.half().birth(), question));
        long nowMs = parts.clock().monotonicMs();
        for (Half half : halves) {
            Question question = byBirth.get(half.birth());
            if (question != null && parts.view().window().closed(half.birth()) == null) {
                ask(question, nowMs);
            }
        }
    }

    private void ask(Question question, long nowMs) {
        Half half = question.half();
        Seen seen = question.seen();
        parts.targets().asked(question.member().connection(), nowMs);
        question.member()
                .connection()
                .oneway(
                        Rpcs.CHECK_TRANSACTION_STATE,
                        new CheckTransactionHeader(
                                SystemTopic.HALF,
                                half.queueOffset(),
                                half.birth(),
                                seen.uniqueKey(),
                                seen.uniqueKey(),
                                MessageId.text(storeHost, half.offset()),
                                parts.identity().name()),
                        seen.shown());
    }

    private void setAside(Half half, String reason) {
        onTheirWay++;
        LOG.warn("event=half_set_aside birth={} reason=\"{}\"", half.birth(), reason);
        if (!parts.background().test(() -> append(half, reason))) {
            failed(List.of(half));
        }
    }

    /** On a cold reader. */
    private void append(Half half, String reason) {
        SegmentLease lease = null;
        try {
            lease = parts.frames().find(half.offset());
            if (lease == null) {
                post(() -> failed(List.of(half)));
                return;
            }
            FrameDraft draft = HalfFrames.setAside(new MessageFrame().wrap(lease.bytes(), 0), half, reason);
            int sizeBytes = draft.sizeBytes();
            parts.sink()
                    .append(
                            SystemTopic.TRANSACTION_CHECK_MAX,
                            HalfFrames.QUEUE_ID,
                            draft,
                            FactSink.Room.ORDINARY,
                            (result, endOffset, queueOffset) -> appended(half, endOffset, sizeBytes));
        } catch (RuntimeException | Error e) { // an InternalError when the disk does not give what is mapped
            LOG.error("event=half_not_set_aside offset={}", half.offset(), e);
            post(() -> failed(List.of(half)));
        } finally {
            if (lease != null) {
                lease.release();
            }
        }
    }

    /** The claim of what is in the log ends when that is applied. */
    private void appended(Half half, long endOffset, int sizeBytes) {
        if (endOffset >= 0) {
            parts.stats().stored(SystemTopic.TRANSACTION_CHECK_MAX, 1, sizeBytes);
            post(() -> onTheirWay--);
        } else {
            post(() -> failed(List.of(half)));
        }
    }
}
