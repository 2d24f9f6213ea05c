package dev.perigee.replica.sync;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.append.Replication;
import dev.perigee.store.epoch.ReplicaSet;
import dev.perigee.store.receive.SenderState;
import dev.perigee.store.recovery.RecoveryReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a master confirms: what its own flush policy has, and, as a synchronous master, what enough replicas of the set in sync
 * hold. The set is a fact (R11): a new one counts once the master and every one of its members hold the fact that says so,
 * hence all that was confirmed before it. A set that is smaller than what is asked for still confirms, so that the broker goes
 * on, but what it confirms is never called acknowledged.
 *
 * <p>A synchronous master that starts knows as confirmed what was kept as such, and no more. The rest of the log it found waits for
 * the replicas that the log names: their set counts again once all of them hold that rest, whoever may have confirmed it before.
 *
 * <p>{@link #tick} and {@link #advance} decide; everything else takes in what happened, or answers from it.
 */
@OwnedBy("log loop")
public final class MasterReplication implements Replication {
    /** A proposal that could not be appended is made again after this time. */
    static final long RETRY_MS = 100;

    private static final Logger LOG = LoggerFactory.getLogger(MasterReplication.class);

    /** What the log says when it is whole. */
    private record Found(Optional<ReplicaSet> named, boolean givesUp, int epoch) {}

    private final ReplicationRules rules;
    private final ReplicaSlots slots;
    private final InSyncChoice choice;
    private final long confirmedBefore;
    private final AtomicReference<SyncProposal.@Nullable Outcome> outcome = new AtomicReference<>();
    private Runnable onEnd = () -> {};
    private Runnable onProposal = () -> {};
    private long generation;
    private long end;
    private long flushed;
    private long confirm;
    /** Up to here enough replicas hold everything for it to be called acknowledged. */
    private long acknowledged;
    /** What a set must hold before it counts: what was found at the start may have been confirmed. */
    private long foundEnd;

    private volatile InSyncSets sets;
    private long proposals;
    private volatile @Nullable Found found;
    private boolean appending;
    /** Up to here nobody but this node may hold what it confirmed before the set in force counted; 0 when that set holds all of it. */
    private long aloneTo;

    /** Whether a start would find that this node confirms alone. */
    private boolean keptAlone;

    private long retryMs = Long.MIN_VALUE;
    private long nextTickMs = Long.MIN_VALUE;

    /** @param confirmedBefore how far an earlier run of a synchronous master kept that it had confirmed; 0 for nothing */
    public MasterReplication(ReplicationRules rules, ReplicaSlots slots, long confirmedBefore) {
        this.rules = rules;
        this.slots = slots;
        this.choice = new InSyncChoice(rules, slots);
        this.confirmedBefore = confirmedBefore;
        this.sets = rules.synchronous() ? InSyncSets.UNKNOWN : InSyncSets.inForce(List.of());
    }

    /** Names who is told on the log loop that the log has grown, and that there is a {@link #proposal}; neither may block. Before it runs. */
    public void onChange(Runnable logGrew, Runnable proposed) {
        onEnd = logGrew;
        onProposal = proposed;
    }

    /**
     * The log is as long as it will be: this node begins its epoch when the log loop runs next, and receives no more. Any thread; once.
     *
     * @param named whom the log names as in sync; empty when it names nobody
     * @param givesUp whether another one may have gone on with this log, and what it wrote is given up
     * @param epoch the number of the epoch that begins, at least
     */
    public void begin(Optional<ReplicaSet> named, boolean givesUp, int epoch) {
        found = new Found(named, givesUp, epoch);
    }

    private void takeOver(Optional<ReplicaSet> named) {
        foundEnd = end;
        if (named.isEmpty()) {
            return;
        }
        List<InSyncMember> members = named.get().members();
        if (rules.synchronous()) {
            SyncProposal recorded = new SyncProposal(++proposals, members);
            sets = new InSyncSets(null, recorded, named.get().factEnd());
        } else {
            sets = InSyncSets.inForce(members);
        }
        LOG.info(
                "event=in_sync_found members={} factEnd={} confirmOffset={} endOffset={}",
                members,
                named.get().factEnd(),
                confirm,
                end);
    }

    @Override
    public boolean mayAppend() {
        return appending;
    }

    /** {@inheritDoc} Here: more, when another one may have gone on with this log, whose messages are given up. */
    @Override
    public long queueOffsetGap(long recovered) {
        Found known = found;
        return known != null && known.givesUp() ? recovered + RecoveryReport.GAP_OF_A_BRANCH : recovered;
    }

    @Override
    public int epochToBegin() {
        Found known = found;
        return known == null ? 0 : known.epoch();
    }

    /**
     * {@inheritDoc} Here: a synchronous master alone, when no replica is in the set, or in the one that is to count; nobody knows as long as the set that counts lacks something that was confirmed before it did.
     */
    @Override
    public Holders holders() {
        List<InSyncMember> target = sets.target();
        if (!rules.synchronous() || (target != null && target.isEmpty())) {
            return Holders.ALONE;
        }
        return inSync().isEmpty() || aloneTo > 0 ? Holders.UNKNOWN : Holders.OTHERS;
    }

    @Override
    public void keptAlone(boolean kept) {
        keptAlone = kept;
    }

    /** {@inheritDoc} Here: until it begins, from replicas that have more. */
    @Override
    public boolean mayReceive() {
        return !appending;
    }

    @Override
    public void recovered(long recoveredGeneration, long endOffset) {
        generation = recoveredGeneration;
        end = endOffset;
        flushed = endOffset;
        confirm = rules.synchronous() ? Math.min(confirmedBefore, endOffset) : endOffset;
        acknowledged = confirm;
    }

    @Override
    public void appended(long endOffset) {
        end = endOffset;
        onEnd.run();
    }

    /** {@inheritDoc} Here: what a replica was told to be confirmed is. */
    @Override
    public void received(SenderState sender, long endOffset) {
        if (appending) {
            throw new IllegalStateException("a master received bytes up to " + endOffset + " from " + sender);
        }
        end = endOffset;
        confirm = Math.max(confirm, Math.min(sender.confirmOffset(), endOffset));
    }

    @Override
    public void truncated(long newGeneration, long endOffset) {
        throw new IllegalStateException("the log of a master was cut to " + endOffset + " while it ran");
    }

    @Override
    public void flushed(long flushGeneration, long endOffset) {
        if (flushGeneration == generation) {
            flushed = Math.max(flushed, endOffset);
        }
    }

    /** {@inheritDoc} Here: asks for another set in sync when the one that was asked for last is not right any more. */
    @Override
    public void tick(long nowMs) {
        Found known = found;
        if (!appending) {
            nextTickMs = known == null ? Long.MAX_VALUE : nowMs;
            if (known != null) {
                takeOver(known.named());
                appending = true;
                expectMembers(nowMs);
            }
            return;
        }
        takeOutcome();
        List<InSyncMember> wanted = choice.wanted(sets.target(), end, confirm, nowMs);
        if (!wanted.equals(sets.target()) && nowMs >= retryMs) {
            propose(wanted, nowMs);
        }
        nextTickMs = Math.min(nowMs < retryMs ? retryMs : Long.MAX_VALUE, choice.nextSilenceMs(end, nowMs));
    }

    @Override
    public long nextTickMs() {
        return nextTickMs;
    }

    /** {@inheritDoc} Here: brings a set into force when its time has come, and moves what is confirmed and acknowledged. */
    @Override
    public void advance() {
        takeOutcome();
        long own = ownOffset();
        if (mayCount(sets, own)) {
            LOG.info(
                    "event=in_sync_changed members={} before={} factEnd={}",
                    sets.target(),
                    sets.inForce(),
                    sets.factEnd());
            boolean wasNobody = inSync().isEmpty();
            sets = sets.broughtIntoForce();
            aloneTo = wasNobody ? confirm : aloneTo;
        }
        List<InSyncMember> set = sets.inForce();
        if (set == null) {
            return;
        }
        if (aloneTo > 0 && choice.heldByAll(set) >= aloneTo) {
            aloneTo = 0;
        }
        int needed = rules.neededReplicas();
        confirm = Math.max(confirm, Math.min(own, choice.heldByAny(set, Math.min(needed, set.size()))));
        if (needed <= set.size()) {
            acknowledged = Math.max(acknowledged, Math.min(own, choice.heldByAny(set, needed)));
        }
    }

    @Override
    public long confirmOffset() {
        return confirm;
    }

    @Override
    public AppendResult confirmed(long endOffset) {
        return endOffset <= acknowledged ? AppendResult.APPENDED : AppendResult.SLAVE_NOT_AVAILABLE;
    }

    @Override
    public AppendResult overdue(long endOffset) {
        return ownOffset() < endOffset ? AppendResult.FLUSH_TIMEOUT : AppendResult.SLAVE_TIMEOUT;
    }

    @Override
    public long patienceMs(long endOffset, long flushTimeoutMs) {
        return ownOffset() < endOffset ? flushTimeoutMs : rules.timeoutMs();
    }

    @Override
    public AppendResult admission() {
        int copies = 1 + sets.size();
        return rules.synchronous() && copies < rules.minInSyncReplicas()
                ? AppendResult.TOO_FEW_REPLICAS
                : AppendResult.APPENDED;
    }

    /** The set that the log is to name next; empty when it names the right one. Any thread. */
    Optional<SyncProposal> proposal() {
        InSyncSets now = sets;
        return now.isRecorded() ? Optional.empty() : Optional.ofNullable(now.next());
    }

    /** Says what became of the fact of a proposal. Any thread; the log loop looks when it runs next. */
    void recorded(long number, long endOffset) {
        SyncProposal.Outcome known = new SyncProposal.Outcome(number, endOffset);
        outcome.accumulateAndGet(known, (before, now) -> before != null && before.number() > number ? before : now);
    }

    /** The replicas that count now. Any thread. */
    public List<InSyncMember> inSync() {
        List<InSyncMember> set = sets.inForce();
        return set == null ? List.of() : set;
    }

    /** Whether a replica counts, or will once it holds what it must. Any thread. */
    public boolean awaits(InSyncMember member) {
        InSyncSets now = sets;
        List<InSyncMember> target = now.target();
        return inSync().contains(member) || (target != null && target.contains(member));
    }

    /** All of those. Any thread. */
    public List<InSyncMember> awaited() {
        InSyncSets now = sets;
        List<InSyncMember> all = new ArrayList<>(now.inForce() == null ? List.of() : now.inForce());
        List<InSyncMember> target = now.target();
        if (target != null) {
            target.stream().filter(member -> !all.contains(member)).forEach(all::add);
        }
        return all;
    }

    private long ownOffset() {
        return rules.flushMode() == FlushMode.ASYNC ? end : flushed;
    }

    /** Members whom the log names are given the time that silence is given, from now on, to come. */
    private void expectMembers(long nowMs) {
        List<InSyncMember> named = sets.target();
        if (named != null) {
            named.forEach(member -> slots.expect(member, nowMs));
        }
    }

    private void propose(List<InSyncMember> wanted, long nowMs) {
        LOG.info(
                "event=in_sync_proposed members={} before={} confirmOffset={} endOffset={}",
                wanted,
                sets.target(),
                confirm,
                end);
        sets = sets.proposed(new SyncProposal(++proposals, wanted));
        retryMs = nowMs + RETRY_MS;
        onProposal.run();
    }

    private void takeOutcome() {
        SyncProposal.Outcome known = outcome.getAndSet(null);
        if (known != null) {
            sets = sets.recorded(known);
        }
    }

    private boolean mayCount(InSyncSets known, long own) {
        SyncProposal next = known.next();
        if (next == null || !known.isRecorded()) {
            return false;
        }
        if (next.members().isEmpty() && !keptAlone) {
            return false;
        }
        long needed = neededOf(next.members());
        return own >= needed && isFactKept(known) && choice.heldByAll(next.members()) >= needed;
    }

    /**
     * Whoever comes into the set must be found in this log after a loss of power, whatever the flush mode: a start asks only those whom
     * the log names (R10). A set that others only leave asks for too many then, which loses nothing.
     */
    private boolean isFactKept(InSyncSets known) {
        List<InSyncMember> next = Objects.requireNonNull(known.target());
        List<InSyncMember> before = known.inForce();
        boolean nobodyComes = before == null ? next.isEmpty() : before.containsAll(next);
        return !rules.synchronous() || nobodyComes || flushed >= known.factEnd();
    }

    /**
     * What the master and every member of a new set must hold: the fact that names it and, where a member leaves that may be the
     * only one to hold what is confirmed behind that fact, all that is confirmed. Before the first set of a run nobody knows who
     * left: then it is all that was found, and the start of this epoch behind it (R19).
     */
    private long neededOf(List<InSyncMember> members) {
        if (!rules.synchronous()) {
            return sets.factEnd();
        }
        List<InSyncMember> before = sets.inForce();
        if (before == null) {
            return Math.max(sets.factEnd(), foundEnd + 1);
        }
        return members.containsAll(before) ? sets.factEnd() : Math.max(sets.factEnd(), confirm);
    }
}
