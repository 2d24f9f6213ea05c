package dev.perigee.group;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.raft.RaftHelloHeader;
import dev.perigee.protocol.header.replica.FetchedHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.raft.Effects.Following;
import dev.perigee.raft.LogEnd;
import dev.perigee.raft.RaftMessage.Held;
import dev.perigee.raft.RaftMessage.Hello;
import dev.perigee.raft.Recovered.Condition;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.transport.Transport;
import dev.perigee.replica.HelloCheck;
import dev.perigee.replica.StreamLimits;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has the session with the leader that the Raft node wants, over this node's connection to it: one at a time. */
@ThreadSafe
final class GroupFollow {
    private static final Logger LOG = LoggerFactory.getLogger(GroupFollow.class);

    private final String group;
    private final long run;
    private final FollowedLeader.Ground ground;
    private final GroupLinks links;
    private final Transport transport;
    private volatile @Nullable FollowedLeader session;

    /** @param run a number of this process, not 0 */
    GroupFollow(String group, long run, FollowedLeader.Ground ground, GroupLinks links, Transport transport) {
        this.group = group;
        this.run = run;
        this.ground = ground;
        this.links = links;
        this.transport = transport;
    }

    /** The node says hello: whatever session there was is over. Log loop. */
    void hello(Hello hello) {
        end();
        Optional<Connection> connection = links.to(hello.to());
        if (connection.isEmpty()) {
            return; // the node says it again
        }
        FollowedLeader begun = new FollowedLeader(
                ground,
                header(hello),
                connection.get(),
                transport.loop(connection.get().loopIndex()));
        session = begun;
        on(begun, FollowedLeader::greet);
    }

    /** Whatever session there is is over. Log loop. */
    void end() {
        FollowedLeader before = session;
        session = null;
        if (before != null) {
            on(before, FollowedLeader::end);
        }
    }

    private RaftHelloHeader header(Hello hello) {
        LogEnd end = hello.log();
        return new RaftHelloHeader(
                group,
                hello.from(),
                hello.to(),
                hello.term(),
                hello.session(),
                run,
                Long.toHexString(hello.nodeId()),
                hello.condition() == Condition.RESTORING,
                end.isEmpty() ? HelloCheck.NONE : Long.toHexString(ground.log().logId()),
                end.epoch(),
                Long.toHexString(end.epochId()),
                end.endOffset(),
                StreamLimits.FORMAT,
                StreamLimits.FEATURE_LEVEL,
                StreamLimits.WINDOW_BYTES);
    }

    /** The leader has taken a session in. Log loop. */
    void follow(Following following) {
        inSession(following.session(), FollowedLeader::compare);
    }

    /** The node answers for so much. Log loop. */
    void held(Held held, LogEnd end) {
        inSession(held.session(), now -> now.held(held.endOffset(), end));
    }

    private void inSession(long number, Consumer<FollowedLeader> step) {
        FollowedLeader now = session;
        if (now != null && now.session() == number) {
            on(now, step);
        }
    }

    private static void on(FollowedLeader session, Consumer<FollowedLeader> step) {
        try {
            session.loop().execute(() -> step.accept(session));
        } catch (RejectedExecutionException e) {
            LOG.debug("event=session_not_told reason=\"the event loops have stopped\"", e);
        }
    }

    /** Handles REPLICA_FETCHED. */
    void fetched(Request<FetchedHeader> request, Reply<NoHeader> reply) {
        FollowedLeader now = session;
        if (now != null && now.runsOver(request.from())) {
            now.fetched(request.header(), request.body());
        }
        reply.ok(NoHeader.NONE);
    }
}
