package dev.perigee.group;

import dev.perigee.group.DiskHealth.Room;
import dev.perigee.group.peer.PeerCheck;
import dev.perigee.loop.OwnedBy;
import dev.perigee.raft.Effects;
import dev.perigee.raft.Fitness;
import dev.perigee.raft.LogEnd;
import dev.perigee.raft.RaftMessage;
import dev.perigee.raft.RaftMessage.Held;
import dev.perigee.raft.RaftMessage.Hello;
import dev.perigee.raft.RaftMessage.HelloAnswer;
import dev.perigee.raft.RaftMessage.Lead;
import dev.perigee.raft.RaftMessage.VoteRequest;
import dev.perigee.raft.RaftNode;
import dev.perigee.raft.Vote;
import dev.perigee.raft.member.Members;
import dev.perigee.store.Store;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.receive.CutOrder;
import dev.perigee.store.receive.ReceiveRefusedException;

/** Carries out what the Raft node wants with a store and the connections of a group. */
@OwnedBy("log loop")
final class GroupHost implements RaftHost {
    /** The ways to the other members. */
    record Ways(RaftFrames frames, GroupLinks links, GroupFeeds feeds, GroupFollow follow, PeerCheck check) {}

    private final Store store;
    private final VoteWriter votes;
    private final Ways ways;
    private final RaftInbox inbox;
    private final Refill refill;
    private final DiskHealth health;
    /** It is about to stop. */
    private volatile boolean resigned;

    GroupHost(Store store, VoteWriter votes, Ways ways, RaftInbox inbox, Refill refill, DiskHealth health) {
        this.store = store;
        this.votes = votes;
        this.ways = ways;
        this.inbox = inbox;
        this.refill = refill;
        this.health = health;
    }

    @Override
    public void steppedDown() {
        ways.feeds().steppedDown();
    }

    @Override
    public void leads() {
        ways.follow().end();
    }

    @Override
    public void persist(Vote vote) {
        votes.write(vote);
    }

    @Override
    public void append(Members members) {
        store.facts().append(GroupFacts.fact(members), false, (result, endOffset) -> {
            if (result != AppendResult.APPENDED && result != AppendResult.OUTCOME_UNKNOWN) {
                inbox.event(RaftNode::membersRefused);
            }
        });
    }

    @Override
    public boolean cut(long session, long endOffset) {
        return store.received().offer(new CutOrder(session, endOffset, new CutOrder.CutListener() {
            @Override
            public void cut(CutOrder order) {
                // The log loop has told the node.
            }

            @Override
            public void refused(CutOrder order, ReceiveRefusedException why) {
                if (why.reason() != ReceiveRefusedException.Reason.NOT_RECEIVING) {
                    inbox.event(node -> {
                        throw new IllegalStateException("the log was not cut: " + why.getMessage(), why);
                    });
                }
            }
        }));
    }

    @Override
    public void follow(Effects.Following following) {
        ways.check().settle();
        ways.follow().follow(following);
    }

    @Override
    public void send(RaftMessage message, LogEnd end) {
        if (message instanceof Hello hello) {
            ways.follow().hello(hello);
        } else if (message instanceof Held held) {
            ways.follow().held(held, end);
        } else if (message instanceof HelloAnswer answer) {
            ways.feeds().answer(answer);
        } else {
            boolean isAnswered = message instanceof Lead || message instanceof VoteRequest;
            (isAnswered ? ways.links().toAsk(message.to()) : ways.links().to(message.to()))
                    .ifPresent(connection -> ways.frames().send(connection, message));
        }
    }

    @Override
    public Fitness fitness(long nowMs) {
        votes.retry(nowMs);
        Fitness now = health.look(
                nowMs,
                store.isOutOfSpace() ? Room.NONE : store.isDiskFull() ? Room.FACTS : Room.ALL,
                store.log().endOffset(),
                store.log().syncedOffset());
        return resigned && now == Fitness.WELL ? Fitness.SLOW : now;
    }

    /** From now on others come first, as if this disk were slow. Any thread. */
    void resign() {
        resigned = true;
    }

    @Override
    public void grew() {
        ways.check().settle();
        ways.feeds().grew();
    }

    @Override
    public void feedOnly(Members confirmed) {
        ways.feeds().feedOnly(confirmed);
    }

    @Override
    public void restored() {
        store.restored();
        refill.done();
    }

    @Override
    public void members(Members members) {
        ways.links().follow(members);
    }
}
