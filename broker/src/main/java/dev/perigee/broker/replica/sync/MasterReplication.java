package dev.perigee.broker.replica.sync;

import dev.perigee.broker.replica.StreamLimits;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.append.Replication;
import dev.perigee.store.receive.SenderState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
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
 */
@OwnedBy("log loop")
public final class MasterReplication implements Replication {
    /** A proposal that could not be appended is made again after this time. */
    static final long RETRY_MS = 100;

    private static final Logger LOG = LoggerFactory.getLogger(MasterReplication.class);

    private final ReplicationRules rules;
    private final ReplicaSlots slots;
    private final AtomicReference<SyncProposal.@Nullable Outcome> outcome = new AtomicReference<>();
    private final List<Long> heldOffsets = new ArrayList<>();
    private Runnable onEnd = () -> {};
    private Runnable onProposal = () -> {};
    private long generation;
    private long end;
    private long flushed;
    private long confirm;
    /** Up to here enough replicas hold everything for it to be called acknowledged. */
    private long acknowledged;
    /** What counts now; null on a synchronous master before the first fact of its epoch. */
    private volatile @Nullable List<InSyncMember> inForce;

    private volatile @Nullable SyncProposal proposal;
    /** The byte after the fact of the proposal; −1 before it is appended. */
    private long proposalEnd = -1;

    private long proposals;
    private long retryMs = Long.MIN_VALUE;
    private long nextTickMs = Long.MIN_VALUE;

    public MasterReplication(ReplicationRules rules, ReplicaSlots slots) {
        this.rules = rules;
        this.slots = slots;
        this.inForce = rules.synchronous() ? null : List.of();
    }

    /** Names who is told on the log loop that the log has grown, and that there is a {@link #proposal}; neither may block. Before it runs. */
    public void onChange(Runnable logGrew, Runnable proposed) {
        onEnd = logGrew;
        onProposal = proposed;
    }

    @Override
    public boolean mayAppend() {
        return true;
    }

    @Override
    public boolean mayReceive() {
        return false;
    }

    @Override
    public void recovered(long recoveredGeneration, long endOffset) {
        generation = recoveredGeneration;
        end = endOffset;
        flushed = endOffset;
        confirm = endOffset;
        acknowledged = endOffset;
    }

    @Override
    public void appended(long endOffset) {
        end = endOffset;
        onEnd.run();
    }

    @Override
    public void received(SenderState sender, long endOffset) {
        throw new IllegalStateException("a master received bytes up to " + endOffset + " from " + sender);
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

    @Override
    public void tick(long nowMs) {
        takeOutcome();
        List<InSyncMember> wanted = wanted(nowMs);
        if (!wanted.equals(target()) && nowMs >= retryMs) {
            propose(wanted, nowMs);
        }
        nextTickMs = nextLookMs(nowMs);
    }

    @Override
    public long nextTickMs() {
        return nextTickMs;
    }

    @Override
    public long confirmOffset() {
        takeOutcome();
        long own = ownOffset();
        bringIntoForce(own);
        List<InSyncMember> set = inForce;
        if (set != null) {
            int needed = rules.neededReplicas();
            confirm = Math.max(confirm, Math.min(own, heldByAny(set, Math.min(needed, set.size()))));
            if (needed <= set.size()) {
                acknowledged = Math.max(acknowledged, Math.min(own, heldByAny(set, needed)));
            }
        }
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
        List<InSyncMember> set = inForce;
        int copies = 1 + (set == null ? 0 : set.size());
        return copies < rules.minInSyncReplicas() ? AppendResult.TOO_FEW_REPLICAS : AppendResult.APPENDED;
    }

    /** The set that the log is to name next; empty when it names the right one. Any thread. */
    Optional<SyncProposal> proposal() {
        return Optional.ofNullable(proposal);
    }

    /** Says what became of the fact of a proposal. Any thread; the log loop looks when it runs next. */
    void recorded(long number, long endOffset) {
        SyncProposal.Outcome known = new SyncProposal.Outcome(number, endOffset);
        outcome.accumulateAndGet(known, (before, now) -> before != null && before.number() > number ? before : now);
    }

    /** The replicas that count now. Any thread. */
    public List<InSyncMember> inSync() {
        List<InSyncMember> set = inForce;
        return set == null ? List.of() : set;
    }

    private long ownOffset() {
        return rules.flushMode() == FlushMode.ASYNC ? end : flushed;
    }

    private @Nullable List<InSyncMember> target() {
        SyncProposal asked = proposal;
        return asked == null ? inForce : asked.members();
    }

    /** Who should be in sync: members stay while they are heard and near, others come when they are nearer. */
    private List<InSyncMember> wanted(long nowMs) {
        List<InSyncMember> target = target();
        List<InSyncMember> wanted = new ArrayList<>();
        for (ReplicaSlot slot : slots.all()) {
            boolean member = target != null && target.contains(slot.member());
            if (nowMs - slot.heardMs() <= rules.maxSilenceMs() && (member ? isNear(slot) : hasCaughtUp(slot))) {
                wanted.add(slot.member());
            }
        }
        Collections.sort(wanted);
        return wanted;
    }

    /** One that said hello anew and did not say yet what it holds is given the time that silence is given. */
    private boolean isNear(ReplicaSlot slot) {
        return slot.heldOffset() == ReplicaSlot.UNKNOWN || end - slot.heldOffset() <= rules.maxGapBytes();
    }

    /** Less than a window behind: it will hold the fact soon, and counts only then. */
    private boolean hasCaughtUp(ReplicaSlot slot) {
        return slot.isConnected()
                && slot.heldOffset() != ReplicaSlot.UNKNOWN
                && confirm - slot.heldOffset() < Math.min(StreamLimits.WINDOW_BYTES, rules.maxGapBytes());
    }

    private void propose(List<InSyncMember> wanted, long nowMs) {
        SyncProposal made = new SyncProposal(++proposals, wanted);
        LOG.info(
                "event=in_sync_proposed members={} before={} confirmOffset={} endOffset={}",
                wanted,
                target(),
                confirm,
                end);
        proposalEnd = -1;
        proposal = made;
        retryMs = nowMs + RETRY_MS;
        onProposal.run();
    }

    private void takeOutcome() {
        SyncProposal.Outcome known = outcome.getAndSet(null);
        SyncProposal asked = proposal;
        if (known == null || asked == null || known.number() != asked.number()) {
            return;
        }
        if (known.endOffset() >= 0) {
            proposalEnd = known.endOffset();
        } else {
            proposal = null; // it is made again
        }
    }

    private void bringIntoForce(long own) {
        SyncProposal asked = proposal;
        if (asked == null || proposalEnd < 0 || own < proposalEnd) {
            return;
        }
        if (heldByAny(asked.members(), asked.members().size()) < neededOf(asked.members())) {
            return;
        }
        LOG.info("event=in_sync_changed members={} before={} factEnd={}", asked.members(), inForce, proposalEnd);
        inForce = asked.members();
        proposal = null;
        proposalEnd = -1;
    }

    /**
     * What every member of a new set must hold: the fact that names it and, where a member leaves that may be the only one to hold
     * what is confirmed behind that fact, all that is confirmed.
     */
    private long neededOf(List<InSyncMember> members) {
        List<InSyncMember> before = inForce;
        boolean nobodyLeaves = before == null || members.containsAll(before);
        return nobodyLeaves || !rules.synchronous() ? proposalEnd : Math.max(proposalEnd, confirm);
    }

    /** Up to where at least so many of these replicas hold everything; without a limit for none. */
    private long heldByAny(List<InSyncMember> members, int count) {
        if (count == 0) {
            return Long.MAX_VALUE;
        }
        heldOffsets.clear();
        for (InSyncMember member : members) {
            heldOffsets.add(slots.of(member).map(ReplicaSlot::heldOffset).orElse(ReplicaSlot.UNKNOWN));
        }
        heldOffsets.sort(Collections.reverseOrder());
        return heldOffsets.get(count - 1);
    }

    /** When a replica becomes silent, or the next proposal may be made. */
    private long nextLookMs(long nowMs) {
        long lookMs = nowMs < retryMs ? retryMs : Long.MAX_VALUE;
        for (ReplicaSlot slot : slots.all()) {
            long silentMs = slot.heardMs() + rules.maxSilenceMs() + 1;
            lookMs = silentMs > nowMs ? Math.min(lookMs, silentMs) : lookMs;
        }
        return lookMs;
    }
}
