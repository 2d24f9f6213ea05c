package dev.perigee.group.peer;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.raft.RaftPeerAnswer;
import dev.perigee.protocol.header.raft.RaftPeerHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.transport.Transport;
import dev.perigee.replica.ReasonLog;
import dev.perigee.replica.sync.ReplicaSlot;
import dev.perigee.replica.sync.ReplicaSlots;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks each peer who it is, whenever a link to it opens, and answers the same; until this process was fed or led it asks each second, for a
 * leader knows more than who only follows. What contradicts refuses the start: a peer of another group, another process under this
 * member's id, another folder than the group knows. Once this process was fed or led that is only logged, so that nobody's mistake of
 * tomorrow stops it. A member whose log names the group also bears as many wrong peers as leave a majority: one misled member must not
 * hold up the others' start.
 */
@ThreadSafe
public final class PeerCheck {
    /** Between two questions to one peer. */
    static final long AGAIN_MS = 1_000;

    /** Longest wait for an answer. */
    static final long CALL_MS = 3_000;

    /** Longest wait for the answer of who has the id of who asks. */
    static final long OTHER_MS = 1_000;

    /** Who has the id of who asks is asked for so many at a time; more are answered without. */
    static final int MAX_OTHERS = 64;

    /** After so long a process that was there before has not just been late: both are there. */
    static final long CONTEST_MS = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(PeerCheck.class);

    /**
     * What it looks at; all of it from any thread.
     *
     * @param links to the others
     * @param members those that count now
     * @param leads whether this member leads, its own epoch is confirmed, and it is in touch with a majority
     * @param logId the name of its log, hex digits; {@link RaftPeerHeader#NONE} of an empty one
     * @param slots who is fed
     */
    public record Ground(
            Links links,
            Supplier<Members> members,
            BooleanSupplier leads,
            Supplier<String> logId,
            ReplicaSlots slots,
            Transport transport,
            Clock clock) {}

    /** The links to the other members. Any thread. */
    public interface Links {
        /** To whoever is where a member should be; empty while there is none. */
        Optional<Connection> link(String id);

        /** Who answers over this link is the member. */
        void fits(String id, Connection connection);

        /**
         * Somebody else is at this address of a member.
         *
         * @return whether the member may be at another one, which is tried then
         */
        boolean isElsewhere(String id, String address);
    }

    /** Since when a process asks under a node id. */
    private record Contest(long run, long sinceMs) {}

    private final PeerIdentity self;
    private final Ground ground;
    private final ReasonLog reasons;
    private final Map<String, Contest> contests = new ConcurrentHashMap<>();
    private final Map<String, String> strangers = new ConcurrentSkipListMap<>();
    private final Set<String> awaited = ConcurrentHashMap.newKeySet();
    private final AtomicInteger others = new AtomicInteger();
    private final CompletableFuture<String> refused = new CompletableFuture<>();
    private final CompletableFuture<String> firstRound = new CompletableFuture<>();
    private volatile boolean settled;

    public PeerCheck(PeerIdentity self, Ground ground) {
        this.self = self;
        this.ground = ground;
        this.reasons = new ReasonLog(ground.clock());
    }

    // ---- the start ----

    /** Whose answers {@link #await} waits for. Before links are made. */
    public void expect(Collection<String> ids) {
        awaited.addAll(ids);
        endRound("");
    }

    /**
     * Waits until each peer has answered, or was not reached. Blocks.
     *
     * @return why this process may not be in the group; empty when nothing is known against it
     */
    public Optional<String> await(long mostMs) throws InterruptedException {
        try {
            Object first = CompletableFuture.anyOf(refused, firstRound).get(mostMs, TimeUnit.MILLISECONDS);
            LOG.debug("event=peers_asked refusal=\"{}\"", first);
        } catch (TimeoutException | ExecutionException e) {
            LOG.debug("event=peers_not_all_asked peers={}", awaited, e);
        }
        return Optional.ofNullable(refused.getNow(null));
    }

    /** Names who hears, once, why this process may not be in the group and is to stop; on an event loop, or at once. */
    @SuppressWarnings("FutureReturnValueIgnored") // the listener is all that follows
    public void onRefused(Consumer<String> listener) {
        refused.thenAccept(listener);
    }

    /** This process was fed, or led: it is one of the group. Any thread. */
    public void settle() {
        if (!settled) {
            settled = true;
        }
    }

    private void endRound(String id) {
        awaited.remove(id);
        if (awaited.isEmpty()) {
            firstRound.complete("");
        }
    }

    // ---- asking ----

    /** A link to a peer is open. On its event loop. */
    public void reached(String id, String address, Connection connection) {
        ask(id, address, connection);
    }

    /** A peer was tried, and is not there. Any thread. */
    public void notReached(String id) {
        endRound(id);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what follows the answer ends in the callback
    private void ask(String id, String address, Connection connection) {
        RaftPeerHeader question = new RaftPeerHeader(self.group(), self.id(), self.nodeId(), self.run());
        connection
                .call(Rpcs.RAFT_PEER, question, null, Deadline.after(ground.clock(), CALL_MS))
                .whenComplete((answer, failure) -> {
                    boolean fits = judge(id, address, connection, answer);
                    endRound(id);
                    if (!(settled && fits) && !refused.isDone() && isLink(id, connection)) {
                        later(() -> askAgain(id, address, connection));
                    }
                });
    }

    /** Asks over a link over which nothing else may go for long, so that it stays, or shows that it carries nothing. */
    public CompletableFuture<Answer<RaftPeerAnswer>> ping(Connection connection) {
        RaftPeerHeader question = new RaftPeerHeader(self.group(), RaftPeerHeader.NONE, self.nodeId(), self.run());
        return connection.call(Rpcs.RAFT_PEER, question, null, Deadline.after(ground.clock(), CALL_MS));
    }

    private void askAgain(String id, String address, Connection connection) {
        if (isLink(id, connection)) {
            ask(id, address, connection);
        }
    }

    private boolean isLink(String id, Connection connection) {
        return ground.links().link(id).filter(connection::equals).isPresent();
    }

    private void later(Runnable task) {
        try {
            ground.transport().loop(0).schedule(AGAIN_MS, task);
        } catch (RejectedExecutionException e) {
            LOG.debug("event=peers_not_asked reason=\"the event loops have stopped\"", e);
        }
    }

    // ---- judging ----

    /** Gives whether the member is there, and fits. */
    private boolean judge(String id, String address, Connection connection, @Nullable Answer<RaftPeerAnswer> answer) {
        String peer = id + "-" + address;
        if (answer != null && answer.isOk()) {
            RaftPeerAnswer theirs = answer.require();
            Optional<String> objection = Objections.toPeer(self, id, peer, theirs);
            boolean isOther = isOtherFolder(id, theirs);
            if (objection.isPresent() && !isOther && Objections.isMember(self, id, theirs)) {
                ground.links().fits(id, connection);
                object(id, objection.get());
            } else if (objection.isPresent()) {
                isStranger(id, address, objection.get());
            } else if (!isOther || !ground.links().isElsewhere(id, address)) {
                strangers.remove(id);
                ground.links().fits(id, connection);
                Objections.toSelf(self, ground.logId().get(), peer, theirs).ifPresent(this::refuse);
                return true;
            }
        } else if (answer != null && answer.code() == ResponseCode.REQUEST_CODE_NOT_SUPPORTED) {
            isStranger(id, address, Objections.noMember(self, peer));
        }
        return false;
    }

    /** Whether it has the member's id and not its folder: that one may have moved, and another group's member be in its place. */
    private boolean isOtherFolder(String id, RaftPeerAnswer theirs) {
        String named = nodeIdOf(id);
        return !named.equals(RaftPeerHeader.NONE) && !named.equals(theirs.nodeId());
    }

    private void isStranger(String id, String address, String objection) {
        if (ground.links().isElsewhere(id, address)) {
            strangers.remove(id);
            warn(objection);
            return;
        }
        object(id, objection);
    }

    private void object(String id, String objection) {
        strangers.put(id, objection);
        if (strangers.size() > bearable()) {
            refuse(String.join(", and ", strangers.values()));
        } else {
            warn(objection);
        }
    }

    /** So many peers may be wrong: none while only settings say who they are, and later as many as leave a majority. */
    private int bearable() {
        Members members = ground.members().get();
        boolean told = members.voters().stream().allMatch(voter -> voter.nodeId() != 0);
        return told ? (members.voters().size() - 1) / 2 : 0;
    }

    private void refuse(String reason) {
        if (settled) {
            warn(reason);
        } else if (refused.complete(reason)) {
            LOG.error("event=start_refused reason=\"{}\"", reason);
        }
    }

    private void warn(String reason) {
        if (reasons.isNews(reason)) {
            LOG.warn("event=peer_does_not_fit reason=\"{}\"", reason);
        }
    }

    // ---- answering ----

    /** Says who this is, and whether somebody else is there under the id of who asks: whoever this member has its link to is asked first. */
    @SuppressWarnings("FutureReturnValueIgnored") // what follows the answer ends in the callback
    public void asked(Request<RaftPeerHeader> request, Reply<RaftPeerAnswer> reply) {
        RaftPeerHeader who = request.header();
        Optional<Connection> link = ground.links().link(who.from());
        if (link.isEmpty() || others.get() >= MAX_OTHERS) {
            reply.ok(answer(who, fedTwin(who)));
            return;
        }
        others.incrementAndGet();
        RaftPeerHeader question = new RaftPeerHeader(self.group(), RaftPeerHeader.NONE, self.nodeId(), self.run());
        link.get()
                .call(Rpcs.RAFT_PEER, question, null, Deadline.after(ground.clock(), OTHER_MS))
                .whenComplete((heard, failure) -> {
                    others.decrementAndGet();
                    reply.guard(() -> reply.ok(answer(who, twin(who, link.get(), heard))));
                });
    }

    /** It has answered since the other one asked: so both are there. */
    private String twin(RaftPeerHeader who, Connection link, @Nullable Answer<RaftPeerAnswer> heard) {
        if (heard == null || !heard.isOk()) {
            return fedTwin(who);
        }
        RaftPeerAnswer there = heard.require();
        boolean isTwin =
                there.group().equals(self.group()) && there.self().equals(who.from()) && there.run() != who.run();
        // Who has the member's folder is the member: another one of that id is where the member was once.
        boolean isInItsPlace =
                who.nodeId().equals(nodeIdOf(who.from())) && !there.nodeId().equals(who.nodeId());
        return isTwin && !isInItsPlace
                ? PeerIdentity.process(there.nodeId(), there.run()) + ", at " + link.remoteAddress()
                : fedTwin(who);
    }

    /** Who is fed over a copy of the same folder, and was heard long enough after the other one came. */
    private String fedTwin(RaftPeerHeader who) {
        if (who.from().equals(RaftPeerHeader.NONE)) {
            return RaftPeerHeader.NONE;
        }
        long nowMs = ground.clock().monotonicMs();
        if (contests.size() >= MAX_OTHERS) {
            contests.clear(); // those that are still there begin anew
        }
        Contest contest = contests.compute(
                who.nodeId(),
                (node, before) -> before == null || before.run() != who.run() ? new Contest(who.run(), nowMs) : before);
        return ground.slots().all().stream()
                .filter(slot -> slot.member().nodeId().equals(who.nodeId()) && slot.run() != who.run())
                .filter(slot -> slot.isConnected() && slot.heardMs() > contest.sinceMs() + CONTEST_MS)
                .findFirst()
                .map(PeerCheck::text)
                .orElse(RaftPeerHeader.NONE);
    }

    private static String text(ReplicaSlot slot) {
        return PeerIdentity.process(slot.member().nodeId(), slot.run()) + ", which is fed and comes from "
                + slot.from();
    }

    private RaftPeerAnswer answer(RaftPeerHeader who, String other) {
        boolean leads = ground.leads().getAsBoolean();
        return new RaftPeerAnswer(
                self.cluster(),
                self.broker(),
                self.group(),
                self.id(),
                self.nodeId(),
                self.run(),
                self.format(),
                self.featureLevel(),
                leads,
                leads ? ground.logId().get() : RaftPeerHeader.NONE,
                leads ? nodeIdOf(who.from()) : RaftPeerHeader.NONE,
                other);
    }

    /** None of one that the log does not name, or whose folder nobody knows yet. */
    private String nodeIdOf(String id) {
        return ground.members()
                .get()
                .find(id)
                .map(Member::nodeId)
                .filter(nodeId -> nodeId != 0)
                .map(Long::toHexString)
                .orElse(RaftPeerHeader.NONE);
    }
}
