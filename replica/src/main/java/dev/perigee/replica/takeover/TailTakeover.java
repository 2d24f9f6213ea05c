package dev.perigee.replica.takeover;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.protocol.header.replica.FetchedHeader;
import dev.perigee.protocol.header.replica.ForkAnswer;
import dev.perigee.protocol.header.replica.ForkHeader;
import dev.perigee.protocol.header.replica.HeldHeader;
import dev.perigee.protocol.header.replica.HelloHeader;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.replica.LogFacts;
import dev.perigee.replica.ReasonLog;
import dev.perigee.replica.follow.LogHandover;
import dev.perigee.replica.follow.LogIntake;
import dev.perigee.replica.follow.LogIntake.Verdict;
import dev.perigee.replica.takeover.AskedReplica.Finding;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.epoch.ForkSearch;
import dev.perigee.store.epoch.ReplicaSet;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.receive.ReceiveInbox;
import dev.perigee.store.receive.ReceiveRefusedException;
import dev.perigee.store.receive.ReceiveRefusedException.Reason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A master that starts asks the replicas its log names for what they have beyond its own end, before it begins its epoch (R10).
 * They come by themselves and say hello. When all have been heard, or those that came when no more time is given to the others,
 * the most advanced one whose log goes on where this one ends is read from to its end, over the connection it opened.
 */
@OwnedBy("event loop 0")
public final class TailTakeover {
    /** How long a master that does not insist waits for those that its log names; what is under way then is finished. */
    static final long PATIENCE_MS = 3_000;

    /**
     * The same where something may be lost with those that do not come: a replica that has to find this node first, or whose attempts to
     * connect were dropped, needs longer (R10).
     */
    static final long LONG_PATIENCE_MS = 10_000;

    /**
     * So many epochs a promoted replica leaves out: more than the starts of a former master that goes on alone, whose last epoch would
     * be taken for the later one otherwise.
     */
    static final int PROMOTED_EPOCHS = 100_000;

    /** Until it is said that somebody is waited for: those that are there come within this time. */
    private static final long QUIET_MS = 2_000;

    private static final long LOOK_MS = 100;
    private static final long SETTLE_MS = 10;
    private static final long CALL_TIMEOUT_MS = 5_000;

    private static final Logger LOG = LoggerFactory.getLogger(TailTakeover.class);

    /** Whether all that the log names must be heard. */
    public enum Patience {
        /** However long it takes. */
        ALL_MUST_COME,
        /** For {@link #PATIENCE_MS}, or {@link #LONG_PATIENCE_MS} where something may be lost. */
        WHO_COMES
    }

    /**
     * For whom the start waits.
     *
     * @param mayHaveLost whether the own log may lack what was acknowledged; where it does not, nobody waits for a node whose broker
     *     id another folder uses now (R6): it will not come again, and has nothing that counts
     * @param restoring whether this node was a replica that may have forgotten bytes it answered for, and did not get them again (R5)
     * @param knownConfirmed how far this node once knew its log to be confirmed, which may be beyond its end now
     * @param acceptLoss whether it begins although others know better
     * @param followed whether this node was a replica when its log was written last, and is promoted by this start
     * @param beginsLog whether this node has no log, and begins one only when nobody has come with one within {@link #PATIENCE_MS}: its disk
     *     may have been emptied (R6), and then nothing says who has what was acknowledged
     */
    public record Terms(
            Patience patience,
            boolean mayHaveLost,
            boolean restoring,
            long knownConfirmed,
            boolean acceptLoss,
            boolean followed,
            boolean beginsLog) {
        private long patienceMs() {
            return mayHaveLost || acceptLoss ? LONG_PATIENCE_MS : PATIENCE_MS;
        }

        /** Whether a synchronous master's word forbids to begin with what this node has. */
        private boolean isForbidden() {
            return restoring && patience == Patience.ALL_MUST_COME;
        }
    }

    /** Hears how it goes; on the event loop, must not block. */
    public interface Listener {
        /** In one line: whom the start waits for, and what can be done about it. Again each minute. */
        void waits(String line);

        /**
         * The log is as long as it will be; once.
         *
         * @param named whom it names as in sync now, this node aside
         * @param endOffset where it ends
         * @param givesUp whether somebody may have gone on with this log whose part is given up, as loss is accepted
         * @param epoch the number of the epoch to begin, at least
         */
        void whole(Optional<ReplicaSet> named, long endOffset, boolean givesUp, int epoch);
    }

    private final LogFacts facts;
    private final CommitLog log;
    private final ReceiveInbox inbox;
    private final Terms terms;
    private final LoopExecutor loop;
    private final Clock clock;
    private final Listener listener;
    private final ReasonLog waits;
    private final List<AskedReplica> asked = new ArrayList<>();
    private final AwaitedReplicas awaited;
    /** Handed to the log and not taken yet. */
    private final AtomicInteger underWay = new AtomicInteger();

    private long begunMs;
    private boolean begun;
    private volatile boolean over;
    /** Whether a replica knows better than what this node begins with. */
    private boolean givesUp;

    private @Nullable AskedReplica source;
    private @Nullable LogIntake intake;
    /** What a replica has that this release does not understand. */
    private String notUnderstood = "";

    /**
     * Of a store that is open and may receive.
     *
     * @param loop the event loop on which all of it happens
     */
    public TailTakeover(
            LogFacts facts,
            CommitLog log,
            ReceiveInbox inbox,
            Terms terms,
            LoopExecutor loop,
            Clock clock,
            Listener listener) {
        this.facts = facts;
        this.log = log;
        this.inbox = inbox;
        this.terms = terms;
        this.loop = loop;
        this.clock = clock;
        this.listener = listener;
        this.waits = new ReasonLog(clock);
        this.awaited = new AwaitedReplicas(facts, log, terms.mayHaveLost());
    }

    /** Names the ids of brokers of this name that are known to have more than this log: they must be heard as well. Before it begins. */
    public void expect(List<Long> brokerIds) {
        awaited.farther(brokerIds);
    }

    /**
     * Begins; the store's loops run, and the replication port is open. Where the log names nobody, that is all: the listener hears of
     * it before this returns. Any thread; once.
     */
    public void begin() {
        boolean isNobodyAwaited = awaited.isEmpty() && !terms.beginsLog();
        if (isNobodyAwaited && terms.knownConfirmed() <= log.endOffset() && !terms.isForbidden()) {
            finish();
            return;
        }
        loop.execute(() -> {
            begunMs = clock.monotonicMs();
            LOG.info("event=replicas_asked members={} endOffset={} terms={}", awaited.named(), log.endOffset(), terms);
            begun = true;
            look();
        });
    }

    /** A replica that fits said hello. Any thread. */
    public void hello(Connection connection, HelloHeader hello) {
        loop.execute(() -> heard(new AskedReplica(connection, hello)));
    }

    private void heard(AskedReplica replica) {
        boolean known = asked.stream().anyMatch(before -> before.saysTheSame(replica.connection(), replica.hello()));
        if (over || known) {
            return;
        }
        asked.removeIf(before -> before.isReplacedBy(replica));
        asked.add(replica);
        decide();
    }

    /** Now and then, for time alone may end the waiting. */
    private void look() {
        if (!over) {
            decide();
            loop.schedule(LOOK_MS, this::look);
        }
    }

    private void decide() {
        if (!begun || over || source != null || underWay.get() > 0) {
            return; // the end of the log is moving
        }
        long nowMs = clock.monotonicMs();
        asked.stream().filter(replica -> !replica.isHeard()).forEach(replica -> awaited.brokeOff(replica, nowMs));
        asked.removeIf(replica -> !replica.isHeard());
        asked.stream().filter(replica -> replica.finding() == Finding.NEW).forEach(this::compare);
        List<InSyncMember> missing = awaited.missing(asked);
        boolean isEarly = nowMs - begunMs < terms.patienceMs();
        boolean waits = (!missing.isEmpty() && (isEarly || terms.patience() == Patience.ALL_MUST_COME))
                || awaited.expectsAgain(asked, nowMs - LONG_PATIENCE_MS);
        boolean waitsBriefly = isEarly && (terms.beginsLog() || !awaited.areOthersHeard(asked));
        if (asked.stream().anyMatch(replica -> replica.finding() == Finding.OPEN) || waits || waitsBriefly) {
            tellWaits(missing);
            return;
        }
        asked.stream()
                .filter(replica -> replica.finding() == Finding.AHEAD)
                .max(AskedReplica.BY_ADVANCE)
                .ifPresentOrElse(this::take, this::finishIfNothingIsLost);
    }

    private void finishIfNothingIsLost() {
        Optional<AskedReplica> other = asked.stream()
                .filter(replica -> replica.finding() == Finding.ANOTHER_BRANCH)
                .max(AskedReplica.BY_ADVANCE);
        Optional<AskedReplica> later = asked.stream()
                .filter(replica -> replica.finding() == Finding.LATER_RELEASE)
                .findFirst();
        boolean hasLost = terms.patience() == Patience.ALL_MUST_COME && terms.knownConfirmed() > log.endOffset();
        if (later.isPresent()) {
            tell(WaitReasons.laterRelease(later.get().hello(), notUnderstood));
        } else if (other.isPresent()) {
            HelloHeader hello = other.get().hello();
            tell(terms.beginsLog() ? WaitReasons.anotherLog(hello) : WaitReasons.parted(hello, log.endOffset()));
        } else if (hasLost) {
            tell(WaitReasons.lost(terms.knownConfirmed(), log.endOffset()));
        } else if (terms.isForbidden()) {
            tell(WaitReasons.mayHaveForgotten(log.endOffset()));
        } else {
            finish();
        }
    }

    private void tellWaits(List<InSyncMember> missing) {
        boolean isEarly = clock.monotonicMs() - begunMs < QUIET_MS;
        if (!isEarly && terms.patience() == Patience.ALL_MUST_COME && !missing.isEmpty()) {
            tell(WaitReasons.missing(missing));
        }
    }

    private void tell(String line) {
        if (waits.isNews(line)) {
            LOG.warn("event=master_waits reason=\"{}\"", line);
            listener.waits(line);
        }
    }

    private void finish() {
        over = true;
        long end = log.endOffset();
        LOG.info("event=tail_whole endOffset={}", end);
        boolean bothForgot = terms.mayHaveLost()
                && asked.stream().anyMatch(replica -> replica.hello().restoring());
        boolean isLossAccepted = terms.acceptLoss()
                && (givesUp
                        || terms.knownConfirmed() > end
                        || !awaited.missing(asked).isEmpty());
        boolean isGivenUp = isLossAccepted || awaited.lacksSomebody(asked);
        if (terms.restoring() || bothForgot || isGivenUp) {
            LOG.warn("event=acknowledged_may_be_lost endOffset={} terms={} named={}", end, terms, awaited.named());
        }
        listener.whole(awaited.others(end), end, isGivenUp, epochToBegin());
    }

    /**
     * Later than all that was heard of this log, so that who stopped this start, and was given up, stops none that follows. One that is
     * promoted also goes beyond what its former master may have begun alone since, and has not told.
     */
    private int epochToBegin() {
        int last = log.epoch();
        for (AskedReplica replica : asked) {
            last = Math.max(last, replica.isOfLog(log.logId()) ? replica.hello().lastEpoch() : 0);
        }
        int step = terms.followed() ? PROMOTED_EPOCHS : 1;
        return last > Integer.MAX_VALUE - step ? last + 1 : last + step;
    }

    private void compare(AskedReplica replica) {
        if (terms.beginsLog()) {
            replica.found(replica.hasLog() ? Finding.ANOTHER_BRANCH : Finding.NOTHING_MORE);
        } else if (replica.mayHaveMoreThan(log.extent())) {
            replica.found(Finding.OPEN);
            search(replica, ForkSearch.begin(log.extent()));
        } else {
            replica.found(Finding.NOTHING_MORE);
        }
    }

    /** As a replica searches in its master's log (R25), with the parts exchanged. */
    private void search(AskedReplica replica, ForkSearch.Step step) {
        if (step instanceof ForkSearch.Ask question) {
            ask(
                    replica,
                    Rpcs.REPLICA_FORK,
                    new ForkHeader(replica.hello().session(), question.number()),
                    answer -> searched(replica, answer.require()));
            return;
        }
        long end = log.endOffset();
        long fork = step instanceof ForkSearch.Fork found ? found.offset() : 0;
        if (fork == end) {
            replica.found(Finding.AHEAD);
        } else {
            boolean knowsBetter = knowsBetter(replica, fork);
            givesUp |= knowsBetter && terms.acceptLoss();
            replica.found(knowsBetter && !terms.acceptLoss() ? Finding.ANOTHER_BRANCH : Finding.NOTHING_MORE);
            LOG.warn(
                    "event=replica_parted member={} step={} replicaEnd={} replicaConfirmed={} endOffset={}",
                    replica.member(),
                    step,
                    replica.hello().endOffset(),
                    replica.hello().confirmOffset(),
                    end);
        }
    }

    /**
     * Whether what this log has instead may not stay: another one was master since (R11), or what the replica was told to be confirmed
     * is not here, which a synchronous master's word does not allow. Where loss is accepted, it stays all the same.
     */
    private boolean knowsBetter(AskedReplica replica, long fork) {
        int own = log.extent().epochs().last().map(Epoch::number).orElse(0);
        boolean isLater = replica.hello().lastEpoch() > own;
        boolean wasPromised = terms.patience() == Patience.ALL_MUST_COME || terms.acceptLoss();
        return isLater || (wasPromised && replica.hello().confirmOffset() > fork);
    }

    private void searched(AskedReplica replica, ForkAnswer answer) {
        try {
            search(replica, ForkSearch.next(LogFacts.read(answer), log.extent()));
            decide();
        } catch (NumberFormatException e) {
            drop(replica, "epochId=" + answer.epochId() + ", wanted hex digits");
        }
    }

    private void take(AskedReplica from) {
        long end = log.endOffset();
        long session = from.hello().session();
        int epoch = from.hello().lastEpoch();
        LOG.info(
                "event=tail_taken_over member={} fromOffset={} toOffset={}",
                from.member(),
                end,
                from.hello().endOffset());
        source = from;
        LogHandover handover = new LogHandover(inbox, loop, session, epoch, underWay, new HandoverWatch(from));
        intake = new LogIntake(
                LogIntake.Terms.of(session, epoch), end, facts.epochBefore(end), handover, clock.monotonicMs());
        askPiece(from);
    }

    /** Hears what becomes of what was handed over. On the log loop. */
    private final class HandoverWatch implements LogHandover.Watcher {
        private final AskedReplica from;

        HandoverWatch(AskedReplica from) {
            this.from = from;
        }

        @Override
        public void refused(ReceiveRefusedException why) {
            boolean isOfLaterRelease = why.reason() == Reason.FACT;
            loop.execute(
                    isOfLaterRelease
                            ? () -> notUnderstood(from, String.valueOf(why.getMessage()))
                            : () -> drop(from, "the log does not take what was sent: " + why.getMessage()));
        }

        @Override
        public void roomAgain() {
            // Looked for by itself, for nothing else is asked for meanwhile.
        }
    }

    private void askPiece(AskedReplica from) {
        LogIntake now = intake;
        if (now == null || source != from) {
            return;
        }
        if (now.isFull() && !now.drain(clock.monotonicMs())) {
            loop.schedule(SETTLE_MS, () -> askPiece(from));
            return;
        }
        HeldHeader have = new HeldHeader(from.hello().session(), now.epoch(), now.nextOffset());
        ask(from, Rpcs.REPLICA_TAIL, have, answer -> piece(from, answer));
    }

    private void piece(AskedReplica from, Answer<FetchedHeader> answer) {
        LogIntake now = intake;
        if (now == null || source != from) {
            return;
        }
        if (answer.body().length == 0) {
            settle(from);
            return;
        }
        Verdict verdict = now.received(answer.require(), ByteBuffer.wrap(answer.body()), clock.monotonicMs());
        if (verdict == Verdict.TAKEN) {
            askPiece(from);
        } else {
            drop(from, now.fault().orElse("what was asked for at " + now.nextOffset() + " was not sent"));
        }
    }

    /** Goes on when the log has taken all of it: only then its end is one. */
    private void settle(AskedReplica from) {
        LogIntake now = intake;
        if (now == null || source != from) {
            return;
        }
        if (now.isFull() || underWay.get() > 0) {
            now.drain(clock.monotonicMs());
            loop.schedule(SETTLE_MS, () -> settle(from));
            return;
        }
        source = null;
        intake = null;
        LOG.info("event=tail_taken member={} endOffset={}", from.member(), log.endOffset());
        from.found(Finding.NOTHING_MORE);
        compareAgain();
        decide();
    }

    /** What was ahead of this log may not be any more. */
    private void compareAgain() {
        asked.stream()
                .filter(replica -> replica.finding() == Finding.AHEAD)
                .forEach(replica -> replica.found(Finding.NEW));
    }

    /** R22: nobody leads who would decide against what he does not understand. */
    private void notUnderstood(AskedReplica from, String reason) {
        from.found(Finding.LATER_RELEASE);
        notUnderstood = reason;
        if (source == from) {
            source = null;
            intake = null;
            compareAgain();
        }
        decide();
    }

    private void drop(AskedReplica replica, String reason) {
        boolean isSource = source == replica; // it may have come again over another connection meanwhile
        if (over || !(asked.remove(replica) || isSource)) {
            return;
        }
        LOG.warn("event=replica_not_asked_further member={} reason=\"{}\"", replica.member(), reason);
        replica.connection().close(reason);
        awaited.brokeOff(replica, clock.monotonicMs()); // it comes again
        if (isSource) {
            source = null;
            intake = null;
            compareAgain();
        }
        decide();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what follows the answer ends in the callback
    private <Q extends Record, R extends Record> void ask(
            AskedReplica replica, Rpc<Q, R> rpc, Q header, Consumer<Answer<R>> then) {
        replica.connection()
                .call(rpc, header, null, Deadline.after(clock, CALL_TIMEOUT_MS))
                .whenComplete((answer, failure) -> loop.execute(() -> {
                    if (answer == null) {
                        drop(replica, rpc.name() + " was not answered: " + failure);
                    } else if (!answer.isOk()) {
                        drop(replica, rpc.name() + " was refused: " + answer.remarkText());
                    } else {
                        then.accept(answer);
                    }
                }));
    }
}
