package dev.perigee.group;

import dev.perigee.group.GroupStanding.FedMember;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.protocol.header.raft.RaftHelloAnswer;
import dev.perigee.protocol.header.raft.RaftHelloHeader;
import dev.perigee.protocol.header.raft.RaftLeadHeader;
import dev.perigee.protocol.header.raft.RaftPeerAnswer;
import dev.perigee.protocol.header.raft.RaftPeerHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.raft.LogEnd;
import dev.perigee.raft.RaftMessage;
import dev.perigee.raft.RaftMessage.Held;
import dev.perigee.raft.RaftMessage.Hello;
import dev.perigee.raft.RaftMessage.HelloAnswer;
import dev.perigee.raft.RaftNode;
import dev.perigee.raft.Recovered.Condition;
import dev.perigee.raft.member.Members;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.RequestHandler;
import dev.perigee.replica.HelloCheck;
import dev.perigee.replica.LogFacts;
import dev.perigee.replica.ReasonLog;
import dev.perigee.replica.StreamLimits;
import dev.perigee.replica.feed.FeedServer;
import dev.perigee.replica.sync.ReplicaSlot;
import dev.perigee.replica.sync.ReplicaSlots;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What others of the group say to this node: handed to its Raft node, whose answers to a hello go back the way that came; and, while this node
 * leads, the feeds of those that it has taken in.
 */
@ThreadSafe
final class GroupFeeds {
    private static final int HEX = 16;
    private static final String LEADS_NO_MORE = "it leads no more";
    private static final Logger LOG = LoggerFactory.getLogger(GroupFeeds.class);

    /** A hello that the node has not answered yet; the next one of the same member takes its place. */
    private record Asked(Request<RaftHelloHeader> request, Hello hello, Reply<RaftHelloAnswer> reply) {}

    /** Of whom a frame is, and for whom. */
    private record Envelope(String group, String from, String to) {}

    /** Who is fed in a session. */
    private record Fed(String id, int term, Connection over) {}

    /**
     * When a leader lets go of members that were removed: some time after that was confirmed, so that they have what says so and know that it is
     * confirmed.
     */
    @OwnedBy("log loop")
    static final class Parting {
        /** For so long who was removed is still fed. */
        static final long LAST_WORDS_MS = 3_000;

        private static final long NONE = -1;

        private long factEnd = NONE;
        private long sinceMs;
        private boolean done;

        /** Who only is to be fed from now on; once for each change, empty otherwise. */
        Optional<Members> look(long nowMs, RaftNode node) {
            if (!node.isEstablished() || node.members().factEnd() > node.confirmOffset()) {
                factEnd = NONE;
                return Optional.empty();
            }
            if (factEnd != node.members().factEnd()) {
                factEnd = node.members().factEnd();
                sinceMs = nowMs;
                done = false;
            }
            if (done || nowMs - sinceMs < LAST_WORDS_MS) {
                return Optional.empty();
            }
            done = true;
            return Optional.of(node.members().members());
        }
    }

    private final String group;
    private final String self;
    private final LogFacts facts;
    private final FeedServer server;
    private final ReplicaSlots slots;
    private final RaftInbox inbox;
    private final GroupLinks links;
    private final Clock clock;
    private final ReasonLog reasons;
    private final Map<String, Asked> asked = new ConcurrentHashMap<>();
    private final Map<Long, Fed> fed = new ConcurrentHashMap<>();
    /** How often this node ceased to lead. */
    private final AtomicInteger stepDowns = new AtomicInteger();

    /** Whom it is of, and what it feeds from. */
    record Ground(String group, String self, LogFacts facts, Clock clock) {}

    GroupFeeds(Ground ground, FeedServer server, ReplicaSlots slots, RaftInbox inbox, GroupLinks links) {
        this.group = ground.group();
        this.self = ground.self();
        this.facts = ground.facts();
        this.clock = ground.clock();
        this.reasons = new ReasonLog(ground.clock());
        this.server = server;
        this.slots = slots;
        this.inbox = inbox;
        this.links = links;
        slots.onHeld(this::held);
    }

    /**
     * What the group's port answers.
     *
     * @param whoIsThere answers who this member is
     */
    HandlerTable handlers(RequestHandler<RaftPeerHeader, RaftPeerAnswer> whoIsThere) {
        HandlerTable.Builder table =
                server.withoutHello().on(Rpcs.RAFT_HELLO, this::hello).on(Rpcs.RAFT_PEER, whoIsThere);
        take(table, Rpcs.RAFT_VOTE, head -> new Envelope(head.group(), head.from(), head.to()), RaftFrames::read);
        take(table, Rpcs.RAFT_VOTED, head -> new Envelope(head.group(), head.from(), head.to()), RaftFrames::read);
        take(table, Rpcs.RAFT_LEAD, head -> new Envelope(head.group(), head.from(), head.to()), this::led);
        take(table, Rpcs.RAFT_LED, head -> new Envelope(head.group(), head.from(), head.to()), RaftFrames::read);
        take(table, Rpcs.RAFT_TRANSFER, head -> new Envelope(head.group(), head.from(), head.to()), RaftFrames::read);
        return table.build();
    }

    private <Q extends Record> void take(
            HandlerTable.Builder table,
            Rpc<Q, NoHeader> rpc,
            Function<Q, Envelope> envelope,
            Function<Q, RaftMessage> read) {
        RequestHandler<Q, NoHeader> handler = (request, reply) -> {
            reply.ok(NoHeader.NONE);
            try {
                Envelope of = envelope.apply(request.header());
                if (isMine(of)) {
                    RaftMessage message = read.apply(request.header());
                    if (message.kind() == RaftMessage.Kind.LEAD_ANSWER
                            || message.kind() == RaftMessage.Kind.VOTE_ANSWER) {
                        links.heard(of.from()); // what it says by itself says nothing of the way to it
                    }
                    inbox.message(message);
                }
            } catch (IllegalArgumentException e) {
                passOver(rpc.name() + " that cannot be read: " + e.getMessage());
            }
        };
        table.on(rpc, handler);
    }

    /** A leader says where it is, for who was filled anew may know none but the peers of its settings. */
    private RaftMessage led(RaftLeadHeader header) {
        links.known(header.from(), header.address());
        return RaftFrames.read(header);
    }

    private boolean isMine(Envelope of) {
        boolean mine =
                of.group().equals(group) && of.to().equals(self) && !of.from().equals(self);
        if (!mine) {
            passOver(of.from() + " of group " + of.group() + " speaks to " + of.to() + "; this is " + self
                    + " of group " + group);
        }
        return mine;
    }

    private void passOver(String what) {
        if (reasons.isNews(what)) {
            LOG.warn("event=passed_over reason=\"{}\"", what);
        }
    }

    // ---- hello ----

    private void hello(Request<RaftHelloHeader> request, Reply<RaftHelloAnswer> reply) {
        RaftHelloHeader header = request.header();
        Hello hello;
        try {
            hello = read(header);
        } catch (IllegalArgumentException e) {
            refuse(
                    reply,
                    header.from() + " says hello with nodeId=" + header.nodeId() + " lastEpochId="
                            + header.lastEpochId() + " lastEpoch=" + header.lastEpoch() + " endOffset="
                            + header.endOffset()
                            + ", wanted hex digits and numbers not below 0");
            return;
        }
        String refusal = refusal(request);
        if (!refusal.isEmpty()) {
            refuse(reply, refusal);
            return;
        }
        Asked before = asked.put(hello.from(), new Asked(request, hello, reply));
        if (before != null) {
            before.reply().fail(ResponseCode.SYSTEM_ERROR, "a later hello came");
        }
        if (!inbox.message(hello)) {
            asked.remove(hello.from());
            reply.fail(ResponseCode.SYSTEM_BUSY, "too much waits for the node");
        }
    }

    private static Hello read(RaftHelloHeader header) {
        return new Hello(
                header.from(),
                header.to(),
                header.term(),
                header.session(),
                Long.parseUnsignedLong(header.nodeId(), HEX),
                header.restoring() ? Condition.RESTORING : Condition.SOUND,
                new LogEnd(header.lastEpoch(), Long.parseUnsignedLong(header.lastEpochId(), HEX), header.endOffset()));
    }

    private void refuse(Reply<RaftHelloAnswer> reply, String reason) {
        passOver(reason);
        reply.fail(ResponseCode.REPLICA_DOES_NOT_FIT, reason);
    }

    private String refusal(Request<RaftHelloHeader> request) {
        RaftHelloHeader hello = request.header();
        if (!isMine(new Envelope(hello.group(), hello.from(), hello.to()))) {
            return "this is " + self + " of group " + group + ", not " + hello.to() + " of group " + hello.group();
        }
        if (hello.format() < StreamLimits.FORMAT || hello.featureLevel() < StreamLimits.FEATURE_LEVEL) {
            return "format of the stream and feature level: " + hello.from() + " " + hello.format() + " and "
                    + hello.featureLevel() + ", leader " + StreamLimits.FORMAT + " and " + StreamLimits.FEATURE_LEVEL;
        }
        String logId = facts.answer().logId();
        if (!hello.logId().equals(HelloCheck.NONE) && !hello.logId().equals(logId)) {
            return "log id: " + hello.from() + " " + hello.logId() + ", leader " + logId;
        }
        return twinOf(request);
    }

    /** Two processes over one folder and its copy: the first that is fed stays (R6). */
    private String twinOf(Request<RaftHelloHeader> request) {
        RaftHelloHeader hello = request.header();
        return slots.twinOf(candidate(request), clock.monotonicMs())
                .map(slot -> "member " + hello.from() + " (node " + hello.nodeId() + ") is there twice, run "
                        + Long.toHexString(slot.run()) + " from " + slot.from() + " and run "
                        + Long.toHexString(hello.run()) + " from "
                        + request.from().remoteAddress()
                        + ": its folder was copied, or two processes have one id")
                .orElse("");
    }

    /** What follows its log was deleted here. */
    private boolean isTooOld(RaftHelloHeader hello) {
        return !hello.logId().equals(HelloCheck.NONE)
                && hello.endOffset() < facts.answer().startOffset();
    }

    private String tooOld(RaftHelloHeader hello) {
        return "the log of " + hello.from() + " ends at " + hello.endOffset() + ", the leader's begins at "
                + facts.answer().startOffset() + ": it fills itself anew at its next start";
    }

    /** The node has decided about a hello. On the log loop. */
    void answer(HelloAnswer answer) {
        Asked waiting = asked.get(answer.to());
        if (waiting == null || waiting.request().header().session() != answer.session()) {
            return;
        }
        asked.remove(answer.to(), waiting);
        int now = stepDowns.get();
        waiting.reply().resume(() -> {
            RaftHelloHeader hello = waiting.request().header();
            boolean tooOld = answer.refusal().isEmpty() && isTooOld(hello);
            // Whoever led when it decided may lead no more: what it receives as a follower is not to be fed to anybody.
            String refusal = now != stepDowns.get()
                    ? LEADS_NO_MORE
                    : tooOld
                            ? tooOld(hello)
                            : answer.refusal().isEmpty() ? takeIn(waiting.request(), answer) : answer.refusal();
            if (now != stepDowns.get()) { // since it was looked at: who was let go did not include this one
                fed.remove(hello.session());
                server.letGo(waiting.request().from());
                refusal = LEADS_NO_MORE;
            }
            if (refusal.isEmpty()) {
                waiting.reply().ok(header(answer));
            } else {
                boolean refill = tooOld && !refusal.equals(LEADS_NO_MORE);
                waiting.reply()
                        .fail(refill ? ResponseCode.REPLICA_MUST_REFILL : ResponseCode.REPLICA_DOES_NOT_FIT, refusal);
            }
        });
    }

    private String takeIn(Request<RaftHelloHeader> request, HelloAnswer answer) {
        RaftHelloHeader hello = request.header();
        fed.values().removeIf(other -> other.id().equals(hello.from()));
        fed.put(hello.session(), new Fed(hello.from(), answer.term(), request.from()));
        String name = "member=" + hello.from();
        return server.takeIn(request.from(), candidate(request), name, answer.term(), hello.windowBytes())
                .orElse("");
    }

    private static ReplicaSlots.Candidate candidate(Request<RaftHelloHeader> request) {
        RaftHelloHeader hello = request.header();
        // A slot is by a number above 0; of a node of a group there is none but that of its folder.
        long number = Math.max(1, Long.parseUnsignedLong(hello.nodeId(), HEX) & Long.MAX_VALUE);
        return new ReplicaSlots.Candidate(
                new InSyncMember(number, hello.nodeId()),
                hello.session(),
                hello.run(),
                hello.restoring(),
                request.from().remoteAddress());
    }

    private RaftHelloAnswer header(HelloAnswer answer) {
        dev.perigee.protocol.header.replica.HelloAnswer own = facts.answer();
        return new RaftHelloAnswer(
                answer.term(),
                answer.lastResort(),
                own.logId(),
                own.startOffset(),
                answer.leaderEnd(),
                StreamLimits.FORMAT,
                StreamLimits.FEATURE_LEVEL);
    }

    // ---- feeds ----

    /** A follower said what it holds. On an event loop. */
    private void held(ReplicaSlot slot) {
        Fed who = fed.get(slot.session());
        if (who != null) {
            inbox.held(new Held(who.id(), self, who.term(), slot.session(), slot.heldOffset()));
        }
    }

    /** The log has grown. On the log loop. */
    void grew() {
        server.logGrew();
    }

    /** Who is fed here now, with what each says of itself. Any thread. */
    List<FedMember> fedMembers(Members members) {
        List<FedMember> all = new ArrayList<>();
        server.connected().forEach((slot, from) -> {
            Fed who = fed.get(slot.session());
            if (who != null) {
                boolean counts = members.isVoter(who.id()) && !slot.isRestoring();
                all.add(new FedMember(
                        who.id(),
                        from,
                        Math.max(0, slot.heldOffset()),
                        server.lagMs(slot),
                        slot.bytesPerSec(clock.monotonicMs()),
                        counts));
            }
        });
        return all;
    }

    /** Whoever else is fed is no member any more: it is let go. On the log loop. */
    void feedOnly(Members members) {
        fed.values().removeIf(other -> {
            boolean goes = members.find(other.id()).isEmpty();
            if (goes) {
                LOG.info("event=removed_member_let_go member={}", other.id());
                server.letGoSoon(other.over());
            }
            return goes;
        });
    }

    /** This node leads no more. On the log loop. */
    void steppedDown() {
        stepDowns.incrementAndGet();
        fed.clear();
        server.letGo();
    }
}
