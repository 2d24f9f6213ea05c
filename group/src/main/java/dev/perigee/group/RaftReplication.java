package dev.perigee.group;

import dev.perigee.loop.OwnedBy;
import dev.perigee.raft.Effects;
import dev.perigee.raft.Fitness;
import dev.perigee.raft.LogEnd;
import dev.perigee.raft.RaftMessage;
import dev.perigee.raft.RaftNode;
import dev.perigee.raft.Recovered.Condition;
import dev.perigee.raft.Role;
import dev.perigee.raft.member.Members;
import dev.perigee.raft.member.MembersFact;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.Replication;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.epoch.MemberFact;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.receive.SenderState;
import dev.perigee.store.recovery.RecoveryReport;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a member of a group confirms, and whether it may append or receive: as its Raft node says, which is told all that happens to the log
 * and carries out what it wants by its {@link RaftHost}. What other threads have to tell it waits in the {@link RaftInbox} for the next
 * tick.
 */
@OwnedBy("log loop")
public final class RaftReplication implements Replication {
    private static final Logger LOG = LoggerFactory.getLogger(RaftReplication.class);

    /** Events taken in one tick at most. */
    private static final int EVENTS_PER_TICK = 1_024;

    private final RaftInbox inbox;
    private final long confirmedBefore;
    private final GroupFeeds.Parting parting = new GroupFeeds.Parting();
    private final RepeatedNotes notes = new RepeatedNotes();
    private final RemovalNote removal;
    private long tickedMs;
    private @Nullable RaftNode node;
    private @Nullable RaftHost host;
    private @Nullable CommitLog log;
    private volatile GroupStanding standing;
    private Members members;
    private Members.Place place = Members.Place.UNTOLD;
    private volatile Runnable onStanding = () -> {};

    private long generation;
    private long recoveredEnd;
    /** The epoch that this node has begun last. */
    private Epoch own = new Epoch(0, 0, 0);
    /** In which session bytes came since the node was told; 0 for none. */
    private long receivedSession;

    private long receivedConfirm;
    private long receivedEnd;
    /** What the node wants cut and is not yet; −1 for nothing. */
    private long cutTo = -1;

    private long cutSession;
    private boolean cutOrdered;

    /**
     * As long as the node has not begun, nothing is taken.
     *
     * @param selfId this node's id, for the log
     * @param configured who the settings say the members are
     * @param confirmedBefore what this folder knew to be confirmed
     */
    RaftReplication(String selfId, RaftInbox inbox, Members configured, long confirmedBefore) {
        this.inbox = inbox;
        this.removal = new RemovalNote(selfId);
        this.confirmedBefore = confirmedBefore;
        this.members = configured;
        this.standing = GroupStanding.before(configured);
    }

    /**
     * The node takes part from the next tick on. Once, before the loops run.
     *
     * @param nodes makes the node, of the generation and the confirm offset of the log
     */
    void begin(CommitLog opened, RaftHost carrier, BiFunction<Long, Long, RaftNode> nodes) {
        log = opened;
        host = carrier;
        RaftNode begun = nodes.apply(generation, opened.confirmOffset());
        node = begun;
        members = begun.members().members();
        place = begun.place();
    }

    /** Names who hears, on the log loop, that {@link #standing} is another; not of how long it is in touch. Before the loops run. */
    void onStanding(Runnable listener) {
        onStanding = listener;
    }

    /** What this node is in its group. Any thread. */
    public GroupStanding standing() {
        return standing;
    }

    // ---- time, and what others said ----

    @Override
    public void tick(long nowMs) {
        RaftNode now = node;
        if (now == null) {
            return;
        }
        tickedMs = nowMs;
        boolean steppedDown = carryOut(now.tick(nowMs));
        steppedDown |= carryOut(now.fit(host == null ? Fitness.WELL : host.fitness(nowMs)));
        // Whoever leads no more lets go of what waits before it hears anything newer (R2): the rest has its turn in the
        // next pass.
        for (int left = EVENTS_PER_TICK; left > 0 && !steppedDown; left--) {
            RaftInbox.Event event = inbox.poll();
            if (event == null) {
                break;
            }
            steppedDown = carryOut(event.tell(now));
        }
        orderCut();
        parting.look(nowMs, now).ifPresent(only -> host().feedOnly(only));
        removal.look(place, now.members(), now.confirmOffset()).ifPresent(note -> LOG.warn("{}", note));
        publish(now);
    }

    private RaftHost host() {
        return Objects.requireNonNull(host, "the node has not begun");
    }

    @Override
    public long nextTickMs() {
        RaftNode now = node;
        return now == null ? Long.MAX_VALUE : inbox.isEmpty() && isCutOrdered() ? now.nextTickMs() : 0;
    }

    private void publish(RaftNode now) {
        GroupStanding next = new GroupStanding(
                now.role().kind(),
                now.term(),
                now.leaderId(),
                now.admits(),
                now.isEstablished(),
                now.isKnownToAll(),
                now.inTouchUntilMs(),
                now.condition() == Condition.SOUND,
                members,
                place);
        if (!next.equals(standing)) {
            GroupStanding before = standing;
            standing = next;
            if (!next.isAs(before)) {
                onStanding.run();
            }
        }
    }

    // ---- effects ----

    /** In the order of their components; gives whether the node leads no more. */
    private boolean carryOut(Effects effects) {
        RaftHost carrier = host;
        if (effects.isNone() || carrier == null) {
            return false;
        }
        for (String note : effects.notes()) {
            if (notes.isNews(note, tickedMs)) {
                LOG.info("{}", note);
            }
        }
        if (effects.steppedDown()) {
            carrier.steppedDown();
            publish(node()); // before anybody is told: a later leader relies on it
        }
        effects.persist().ifPresent(carrier::persist);
        effects.epochToBegin().ifPresent(term -> carrier.leads());
        effects.append().ifPresent(carrier::append);
        effects.truncate().ifPresent(this::cut);
        effects.follow().ifPresent(following -> {
            cutSession = following.session();
            carrier.follow(following);
        });
        effects.send().forEach(message -> carrier.send(message, node().end()));
        if (effects.restored()) {
            carrier.restored();
        }
        effects.refusal().ifPresent(reason -> LOG.info("event=refused reason=\"{}\"", reason));
        return effects.steppedDown();
    }

    private void cut(long endOffset) {
        cutTo = endOffset;
        cutOrdered = false;
        orderCut();
    }

    private void orderCut() {
        RaftHost carrier = host;
        if (!isCutOrdered() && carrier != null) {
            cutOrdered = carrier.cut(cutSession, cutTo);
        }
    }

    private boolean isCutOrdered() {
        return cutTo < 0 || cutOrdered;
    }

    private RaftNode node() {
        RaftNode now = node;
        if (now == null) {
            throw new IllegalStateException("the node has not begun");
        }
        return now;
    }

    // ---- rights ----

    @Override
    public boolean mayAppend() {
        RaftNode now = node;
        return now != null && now.role().kind() == Role.Kind.LEADER;
    }

    @Override
    public boolean mayReceive() {
        return !mayAppend();
    }

    @Override
    public boolean mayReceive(long session) {
        RaftNode now = node;
        return now != null && now.accepts(session);
    }

    @Override
    public boolean mayCut(long session, long endOffset) {
        return cutTo == endOffset;
    }

    /** Any node's log may end in what another one wrote. */
    @Override
    public boolean follows() {
        return true;
    }

    /** Also the only member of a group tells nobody that it was alone: others have its log before they count. */
    @Override
    public Holders holders() {
        return Holders.OTHERS;
    }

    @Override
    public AppendResult admission() {
        RaftNode now = node;
        return now != null && now.admits() ? AppendResult.APPENDED : AppendResult.NOT_WRITABLE;
    }

    /** While another one is to take over nothing is appended: it would never have all there is. */
    @Override
    public AppendResult ownAdmission() {
        RaftNode now = node;
        return now != null && now.isHandingOver() ? AppendResult.NOT_WRITABLE : AppendResult.APPENDED;
    }

    // ---- what happens to the log ----

    @Override
    public void recovered(long recoveredGeneration, long endOffset) {
        generation = recoveredGeneration;
        recoveredEnd = endOffset;
    }

    /** The term: the log of whoever leads ends in an earlier one (R36). */
    @Override
    public int epochToBegin() {
        int term = node().term();
        CommitLog opened = log;
        if (opened != null && term <= opened.epoch()) {
            throw new IllegalStateException("term " + term + " is led, but the log ends in epoch " + opened.epoch());
        }
        return term;
    }

    /** A log that lost nothing goes on where it ended, whoever wrote its end. */
    @Override
    public long queueOffsetGap(long recovered) {
        return node().mayHaveLost() ? RecoveryReport.LARGEST_GAP : 0;
    }

    @Override
    public void epochBegun(Epoch epoch, long endOffset) {
        own = epoch;
        carryOut(node().epochBegun(GroupFacts.endIn(epoch, endOffset)));
    }

    @Override
    public void membersFound(MemberFact fact) {
        carryOut(node().membersFound(GroupFacts.members(fact)));
        membersMoved();
    }

    @Override
    public void appended(long endOffset) {
        carryOut(node().appended(GroupFacts.endIn(own, endOffset)));
        RaftHost carrier = host;
        if (carrier != null) {
            carrier.grew();
        }
    }

    /** All that comes in one pass is of one session: the node hears of it once, when it is asked what is confirmed. */
    @Override
    public void received(SenderState sender, long endOffset) {
        receivedSession = sender.session();
        receivedConfirm = Math.max(receivedConfirm, sender.confirmOffset());
        receivedEnd = endOffset;
    }

    @Override
    public void advance() {
        RaftNode now = node;
        if (now == null) {
            return;
        }
        for (RaftMessage held = inbox.pollHeld(); held != null; held = inbox.pollHeld()) {
            carryOut(now.step(held));
        }
        if (receivedSession != 0) {
            long session = receivedSession;
            long confirm = receivedConfirm;
            receivedSession = 0;
            receivedConfirm = 0;
            carryOut(now.received(session, confirm, endAt(receivedEnd)));
        }
        if (now.isEstablished() != standing.established()) {
            publish(now); // clients wait for it
        }
    }

    private LogEnd endAt(long endOffset) {
        CommitLog opened = log;
        return opened == null ? LogEnd.EMPTY : GroupFacts.endAt(opened.extent().epochs(), endOffset);
    }

    @Override
    public void truncated(long newGeneration, long endOffset) {
        cutTo = -1;
        carryOut(node().truncated(newGeneration, endAt(endOffset)));
        membersMoved();
    }

    private void membersMoved() {
        members = node().members().members();
        place = node().place();
        RaftHost carrier = host;
        if (carrier != null) {
            carrier.members(members);
        }
    }

    @Override
    public void flushed(long flushGeneration, long endOffset) {
        RaftNode now = node;
        if (now != null) {
            carryOut(now.flushed(flushGeneration, endOffset));
        }
    }

    @Override
    public long confirmOffset() {
        RaftNode now = node;
        return now == null ? Math.min(recoveredEnd, confirmedBefore) : now.confirmOffset();
    }

    /** Notices when it is confirmed that this node, which was a member, is one no more: from then on it is fed by nobody. */
    @OwnedBy("log loop")
    private static final class RemovalNote {
        private final String self;
        private boolean wasMember;

        RemovalNote(String self) {
            this.self = self;
        }

        /**
         * Looks once more.
         *
         * @param place what the node is by the newest fact
         * @param newest that fact, confirmed or not
         * @param confirmOffset up to here the log is confirmed
         * @return a line of the log, once for each removal; empty otherwise
         */
        Optional<String> look(Members.Place place, MembersFact newest, long confirmOffset) {
            if (place == Members.Place.VOTER || place == Members.Place.LEARNER) {
                wasMember = true;
            }
            if (!wasMember || place != Members.Place.NONE || newest.factEnd() > confirmOffset) {
                return Optional.empty();
            }
            wasMember = false;
            return Optional.of("event=removed_from_group member=" + self + " members=\"" + newest.members()
                    + "\" factEnd=" + newest.factEnd()
                    + " next=\"nobody feeds this member any more: stop it, or add it again\"");
        }
    }

    /** Which of the node's notes are written: one that comes again with every try of somebody who is refused, only once a minute. */
    @OwnedBy("log loop")
    static final class RepeatedNotes {
        /** The same one is written again after this time. */
        static final long REPEAT_MS = 60_000;

        /** Remembered at most; then all are forgotten, and written once more. */
        static final int MAX_REMEMBERED = 64;

        private static final List<String> REFUSALS = List.of(
                "event=refused_by_leader ",
                "event=hello_refused ",
                "event=vote_refused ",
                "event=vote_of_another_node ");

        private final Map<String, Long> writtenMs = new HashMap<>();

        /** Whether it is written; it counts as written then. */
        boolean isNews(String note, long nowMs) {
            if (REFUSALS.stream().noneMatch(note::startsWith)) {
                return true;
            }
            Long lastMs = writtenMs.get(note);
            if (lastMs != null && nowMs - lastMs < REPEAT_MS) {
                return false;
            }
            if (writtenMs.size() >= MAX_REMEMBERED) {
                writtenMs.clear();
            }
            writtenMs.put(note, nowMs);
            return true;
        }
    }
}
