package dev.perigee.broker.transaction;

import dev.perigee.broker.client.Member;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.fact.FactDesk;
import dev.perigee.broker.fact.Inbox;
import dev.perigee.broker.query.FrameLookup;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.broker.transaction.CheckRound.Due;
import dev.perigee.broker.transaction.CheckRound.Seen;
import dev.perigee.broker.transaction.producer.AbsentGroups;
import dev.perigee.broker.transaction.producer.CheckTargets;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.HalfRef;
import dev.perigee.protocol.fact.HalfRolledBack;
import dev.perigee.protocol.fact.HalvesChecked;
import dev.perigee.protocol.header.send.CheckTransactionHeader;
import dev.perigee.protocol.message.HostBytes;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.remoting.transport.FaultLog;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.kv.ViewStore;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
 * When it was last asked for, or accepted, so long ago that it is kept no longer, it is set aside; but not before its group was seen to be away
 * for {@value #MIN_ABSENT_MS} ms, for after a start of the broker producers need a moment to come back.
 */
@OwnedBy("view loop")
final class TransactionCheckDuty implements Duty {
    /** How much more seldom than usual a half is looked at, at most, while nobody of its group is connected. */
    static final int MAX_ABSENT_INTERVALS = 8;
    /** No half is set aside for want of producers before they were seen to be away for so long. */
    static final long MIN_ABSENT_MS = 60_000;

    private static final long PACE_MS = 20;
    private static final long RETRY_MS = 1_000;
    private static final long TOGETHER_MS = 1_000;
    private static final Logger LOG = LoggerFactory.getLogger(TransactionCheckDuty.class);

    /**
     * What it works with.
     *
     * @param view which halves are undecided
     * @param producers the connected producers of a group
     * @param log tells where it begins
     * @param frames reads halves
     * @param sink takes what is set aside
     * @param desk takes facts, and goes on when they are applied
     * @param background runs what waits for the disk elsewhere; false when too much waits there
     * @param times when halves are checked
     * @param targets chooses whom to ask
     * @param identity who asks
     * @param stats counts what is set aside as stored
     * @param faults bounds the lines about single halves
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
            FaultLog faults,
            Clock clock,
            Runnable wake) {}

    /** A question to a producer. */
    private record Question(Member member, Half half, Seen seen) {}

    /** Halves that are told of by one fact. */
    private record Turn(long nextCheckMs, boolean counted) {}

    private final Parts parts;
    private final byte[] storeHost;
    private final Inbox inbox;
    private final Asides asides;
    private final AbsentGroups absents = new AbsentGroups();
    private boolean looking;
    private int onTheirWay; // facts of this round
    private long againMs = Long.MIN_VALUE;

    TransactionCheckDuty(Parts parts) {
        this.parts = parts;
        this.inbox = new Inbox("transaction-checks", parts.wake());
        this.asides = new Asides(
                new Asides.Parts(
                        parts.frames(),
                        parts.sink(),
                        parts.background(),
                        parts.stats(),
                        inbox,
                        parts.clock(),
                        parts.faults()),
                this::putOff);
        this.storeHost = HostBytes.encode(
                new InetSocketAddress(parts.identity().host(), parts.identity().port()));
    }

    @Override
    public int doWork(long nowMs) {
        int work = inbox.run(Integer.MAX_VALUE);
        asides.tell(nowMs);
        return work + look(nowMs);
    }

    @Override
    public long nextDeadlineMs() {
        long nextMs = parts.view().window().nextCheckMs();
        if (isBusy() || nextMs == Long.MAX_VALUE) {
            return asides.nextLineMs();
        }
        long waitMs = Math.max(0, nextMs - parts.times().nowMs());
        return Math.min(asides.nextLineMs(), Math.max(againMs, parts.clock().monotonicMs() + waitMs));
    }

    /** Takes note of all that came of what it did before. */
    void drain() {
        inbox.run(Integer.MAX_VALUE);
    }

    /** Whether a round is under way. */
    private boolean isBusy() {
        return looking || onTheirWay > 0 || asides.areUnderWay();
    }

    private int look(long nowMs) {
        HalfWindow window = parts.view().window();
        ViewStore store = parts.view().store();
        long timerMs = parts.times().nowMs();
        if (isBusy() || nowMs < againMs || store == null || window.nextCheckMs() > timerMs) {
            return 0;
        }
        long fromMs = window.beginLook();
        looking = true;
        if (!parts.background().test(() -> look(store, fromMs, timerMs))) {
            lookFailed(fromMs);
        }
        return 1;
    }

    /** On a cold reader. */
    private void look(ViewStore store, long fromMs, long timerMs) {
        try {
            CheckRound round = CheckRound.look(store, parts.frames(), parts.faults(), fromMs, timerMs);
            inbox.post(() -> looked(round, timerMs));
        } catch (IOException | RuntimeException | Error e) { // whatever it is, the look ends
            LOG.error("event=transactions_not_checked retryMs={}", RETRY_MS, e);
            inbox.post(() -> lookFailed(fromMs));
        }
    }

    private void lookFailed(long fromMs) {
        looking = false;
        againMs = parts.clock().monotonicMs() + RETRY_MS;
        parts.view().window().endLook(fromMs);
    }

    /** What a round makes of the halves that it found due. */
    private static final class Round {
        final long timerMs;
        final Map<Turn, List<Half>> turns = new LinkedHashMap<>();
        final List<Question> questions = new ArrayList<>();
        final List<Half> gone = new ArrayList<>();

        Round(long timerMs) {
            this.timerMs = timerMs;
        }

        /** It is the half's turn; it is next after a while. */
        void turn(Half half, long waitMs, boolean counted) {
            turns.computeIfAbsent(new Turn(timerMs + waitMs, counted), key -> new ArrayList<>())
                    .add(half);
        }
    }

    private void looked(CheckRound found, long timerMs) {
        HalfWindow window = parts.view().window();
        Round round = new Round(timerMs);
        long nextMs = found.nextMs();
        for (Due due : found.due()) {
            Half half = due.half();
            if (window.isChanged(half.birth())) {
                continue; // it is another now, and the window knows when that one is due
            }
            if (window.isClaimed(half.birth()) || window.isFull()) {
                nextMs = Math.min(nextMs, half.nextCheckMs());
            } else {
                take(due, round);
            }
        }
        looking = false;
        againMs = parts.clock().monotonicMs() + PACE_MS;
        window.endLook(nextMs);
        round.turns.forEach((turn, halves) -> tell(
                new HalvesChecked(refs(halves), turn.nextCheckMs(), turn.counted(), timerMs),
                halves,
                () -> ask(halves, round.questions)));
        asides.start();
        if (!round.gone.isEmpty()) {
            tell(new HalfRolledBack(refs(round.gone), "its frame is gone"), round.gone, () -> {});
        }
    }

    /** Claims a half, and decides what is to be done. One for which that fails spoils no other, and is not in front of others for ever. */
    private void take(Due due, Round round) {
        Half half = due.half();
        parts.view().window().claim(half.birth());
        try {
            Seen seen = due.seen();
            if (seen == null) {
                unreadable(half, round);
            } else {
                check(half, seen, round);
            }
        } catch (RuntimeException e) {
            if (parts.faults().mayLog()) {
                LOG.error("event=half_not_checked birth={}", half.birth(), e);
            }
            round.turn(half, parts.times().intervalMs(null), false);
        }
    }

    private static List<HalfRef> refs(List<Half> halves) {
        return halves.stream().map(Half::ref).toList();
    }

    /** Closed only when the log no longer reaches back to it; what lies there may be readable another time. */
    private void unreadable(Half half, Round round) {
        if (parts.faults().mayLog()) {
            LOG.error("event=half_unreadable offset={} birth={}", half.offset(), half.birth());
        }
        if (half.offset() < parts.log().startOffset()) {
            round.gone.add(half);
        } else {
            round.turn(half, parts.times().intervalMs(null), false);
        }
    }

    private void check(Half half, Seen seen, Round round) {
        int maxChecks = parts.times().maxChecks(seen.maxTimes());
        if (half.checks() >= maxChecks) {
            asides.add(half, "no decision after " + half.checks() + " checks, limit " + maxChecks);
            return;
        }
        Member member = parts.targets()
                .pick(parts.producers().apply(seen.group()), parts.clock().monotonicMs());
        if (member == null) {
            nobodyThere(half, seen, round);
        } else {
            absents.present(seen.group());
            round.questions.add(new Question(member, half, seen));
            round.turn(half, parts.times().intervalMs(seen.interval()), true);
        }
    }

    /** It waits as long as nobody has been there already, so that each wait is about twice the one before; but no longer than it is kept. */
    private void nobodyThere(Half half, Seen seen, Round round) {
        long nowMs = parts.clock().monotonicMs();
        long quietMs = round.timerMs - half.quietSinceMs();
        long absentMs = Math.min(
                quietMs, absents.absentMs(seen.group(), nowMs)); // a younger one is proof that somebody was there
        long leftMs = Math.max(parts.times().keptMs() - quietMs, MIN_ABSENT_MS - absentMs);
        if (leftMs <= 0) {
            asides.add(
                    half,
                    "no producer of its group could be asked for " + TimeUnit.MILLISECONDS.toHours(quietMs) + " hours");
            return;
        }
        long intervalMs = parts.times().intervalMs(seen.interval());
        long usualMs = Math.max(intervalMs, Math.min(absentMs, MAX_ABSENT_INTERVALS * intervalMs));
        long waitMs = togetherMs(round.timerMs + Math.min(leftMs, usualMs), intervalMs) - round.timerMs;
        absents.lookAgain(seen.group(), nowMs, waitMs);
        round.turn(half, waitMs, false);
    }

    /** A little later, so that halves whose times are a moment apart are told of by one fact. */
    private static long togetherMs(long timeMs, long intervalMs) {
        long stepMs = Math.min(TOGETHER_MS, intervalMs);
        return Math.floorDiv(timeMs + stepMs - 1, stepMs) * stepMs;
    }

    /** Appends a fact about claimed halves; goes on when it is applied, which ends the claims. */
    private void tell(Fact fact, List<Half> halves, Runnable applied) {
        onTheirWay++;
        parts.desk()
                .append(
                        fact,
                        () -> {
                            onTheirWay--;
                            applied.run();
                        },
                        result -> {
                            LOG.warn("event=transactions_not_checked result={} retryMs={}", result, RETRY_MS);
                            failed(halves);
                        });
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
            if (question != null && parts.view().closed(half.birth()) == null) {
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

    /** They could not be set aside: others come first now. */
    private void putOff(List<Half> halves, long waitMs) {
        long timerMs = parts.times().nowMs();
        tell(new HalvesChecked(refs(halves), timerMs + waitMs, false, timerMs), halves, () -> {});
    }
}
