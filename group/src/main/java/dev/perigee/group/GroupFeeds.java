package dev.perigee.group;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.protocol.header.raft.RaftHelloAnswer;
import dev.perigee.protocol.header.raft.RaftHelloHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.raft.LogEnd;
import dev.perigee.raft.RaftMessage;
import dev.perigee.raft.RaftMessage.Held;
import dev.perigee.raft.RaftMessage.Hello;
import dev.perigee.raft.RaftMessage.HelloAnswer;
import dev.perigee.raft.Recovered.Condition;
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
import java.util.Map;
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
    private static final Logger LOG = LoggerFactory.getLogger(GroupFeeds.class);

    /** A hello that the node has not answered yet; the next one of the same member takes its place. */
    private record Asked(Request<RaftHelloHeader> request, Reply<RaftHelloAnswer> reply) {}

    /** Who is fed in a session. */
    private record Fed(String id, int term) {}

    private final String group;
    private final String self;
    private final LogFacts facts;
    private final FeedServer server;
    private final RaftInbox inbox;
    private final ReasonLog reasons;
    private final Map<String, Asked> asked = new ConcurrentHashMap<>();
    private final Map<Long, Fed> fed = new ConcurrentHashMap<>();
    /** How often this node ceased to lead. */
    private final AtomicInteger stepDowns = new AtomicInteger();

    GroupFeeds(
            String group,
            String self,
            LogFacts facts,
            FeedServer server,
            ReplicaSlots slots,
            RaftInbox inbox,
            ReasonLog reasons) {
        this.group = group;
        this.self = self;
        this.facts = facts;
        this.server = server;
        this.inbox = inbox;
        this.reasons = reasons;
        slots.onHeld(this::held);
    }

    /** What the group's port answers. */
    HandlerTable handlers() {
        HandlerTable.Builder table = server.withoutHello().on(Rpcs.RAFT_HELLO, this::hello);
        take(table, Rpcs.RAFT_VOTE, header -> isMine(header.group(), header.from(), header.to()), RaftFrames::read);
        take(table, Rpcs.RAFT_VOTED, header -> isMine(header.group(), header.from(), header.to()), RaftFrames::read);
        take(table, Rpcs.RAFT_LEAD, header -> isMine(header.group(), header.from(), header.to()), RaftFrames::read);
        take(table, Rpcs.RAFT_LED, header -> isMine(header.group(), header.from(), header.to()), RaftFrames::read);
        take(table, Rpcs.RAFT_TRANSFER, header -> isMine(header.group(), header.from(), header.to()), RaftFrames::read);
        return table.build();
    }

    private <Q extends Record> void take(
            HandlerTable.Builder table,
            Rpc<Q, NoHeader> rpc,
            Function<Q, Boolean> isMine,
            Function<Q, RaftMessage> read) {
        RequestHandler<Q, NoHeader> handler = (request, reply) -> {
            reply.ok(NoHeader.NONE);
            try {
                if (isMine.apply(request.header())) {
                    inbox.message(read.apply(request.header()));
                }
            } catch (IllegalArgumentException e) {
                passOver(rpc.name() + " that cannot be read: " + e.getMessage());
            }
        };
        table.on(rpc, handler);
    }

    private boolean isMine(String ofGroup, String from, String to) {
        boolean mine = ofGroup.equals(group) && to.equals(self) && !from.equals(self);
        if (!mine) {
            passOver(from + " of group " + ofGroup + " speaks to " + to + "; this is " + self + " of group " + group);
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
        RaftHelloHeader hello = request.header();
        String refusal = refusal(hello);
        boolean tooOld = refusal.isEmpty() && isTooOld(hello);
        if (!refusal.isEmpty() || tooOld) {
            String reason = tooOld ? tooOld(hello) : refusal;
            passOver(reason);
            reply.fail(tooOld ? ResponseCode.REPLICA_MUST_REFILL : ResponseCode.REPLICA_DOES_NOT_FIT, reason);
            return;
        }
        Asked before = asked.put(hello.from(), new Asked(request, reply));
        if (before != null) {
            before.reply().fail(ResponseCode.SYSTEM_ERROR, "a later hello came");
        }
        boolean taken = inbox.message(new Hello(
                hello.from(),
                hello.to(),
                hello.term(),
                hello.session(),
                Long.parseUnsignedLong(hello.nodeId(), HEX),
                hello.restoring() ? Condition.RESTORING : Condition.SOUND,
                new LogEnd(hello.lastEpoch(), Long.parseUnsignedLong(hello.lastEpochId(), HEX), hello.endOffset())));
        if (!taken) {
            asked.remove(hello.from());
            reply.fail(ResponseCode.SYSTEM_BUSY, "too much waits for the node");
        }
    }

    private String refusal(RaftHelloHeader hello) {
        if (!isMine(hello.group(), hello.from(), hello.to())) {
            return "this is " + self + " of group " + group + ", not " + hello.to() + " of group " + hello.group();
        }
        if (hello.format() < StreamLimits.FORMAT || hello.featureLevel() < StreamLimits.FEATURE_LEVEL) {
            return "format of the stream and feature level: " + hello.from() + " " + hello.format() + " and "
                    + hello.featureLevel() + ", leader " + StreamLimits.FORMAT + " and " + StreamLimits.FEATURE_LEVEL;
        }
        String logId = facts.answer().logId();
        return hello.logId().equals(HelloCheck.NONE) || hello.logId().equals(logId)
                ? ""
                : "log id: " + hello.from() + " " + hello.logId() + ", leader " + logId;
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
            // Whoever led when it decided may lead no more: what it receives as a follower is not to be fed to anybody.
            String refusal = now != stepDowns.get()
                    ? self + " leads no more"
                    : answer.refusal().isEmpty() ? takeIn(waiting.request(), answer) : answer.refusal();
            if (refusal.isEmpty()) {
                waiting.reply().ok(header(answer));
            } else {
                waiting.reply().fail(ResponseCode.REPLICA_DOES_NOT_FIT, refusal);
            }
        });
    }

    private String takeIn(Request<RaftHelloHeader> request, HelloAnswer answer) {
        RaftHelloHeader hello = request.header();
        fed.values().removeIf(other -> other.id().equals(hello.from()));
        fed.put(hello.session(), new Fed(hello.from(), answer.term()));
        // A slot is by a number above 0; of a node of a group there is none but that of its folder.
        long number = Math.max(1, Long.parseUnsignedLong(hello.nodeId(), HEX) & Long.MAX_VALUE);
        InSyncMember member = new InSyncMember(number, hello.nodeId());
        return server.takeIn(
                        request.from(),
                        new ReplicaSlots.Candidate(
                                member, hello.session(), hello.run(), hello.restoring(), hello.from()),
                        answer.term(),
                        hello.windowBytes())
                .orElse("");
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

    /** The log has grown, or more of it is confirmed. On the log loop. */
    void grew() {
        server.logGrew();
    }

    /** This node leads no more. On the log loop. */
    void steppedDown() {
        stepDowns.incrementAndGet();
        fed.clear();
        server.letGo();
    }
}
