package dev.perigee.group;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.raft.member.Member;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.transport.Transport;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection of this node to each other member, for all it has to say to that one. When one ends, or cannot be made, it is made anew after
 * {@link #RETRY_MS}, so that no election waits for a connection.
 */
@ThreadSafe
final class GroupLinks implements AutoCloseable {
    /** Between the end of a connection and the next attempt. */
    static final long RETRY_MS = 200;

    private static final Logger LOG = LoggerFactory.getLogger(GroupLinks.class);

    private final String self;
    private final RemotingClient client;
    private final Transport transport;
    private final RaftInbox inbox;
    /** Where each of them listens; who is not here is connected to no more. */
    private final Map<String, String> addresses = new ConcurrentHashMap<>();

    private final Map<String, Connection> connections = new ConcurrentHashMap<>();
    /** For whom an attempt is under way, or a connection is open. */
    private final Set<String> busy = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    GroupLinks(String self, RemotingClient client, Transport transport, RaftInbox inbox) {
        this.self = self;
        this.client = client;
        this.transport = transport;
        this.inbox = inbox;
    }

    /** These are the members from now on. */
    void follow(List<Member> members) {
        Set<String> gone = new HashSet<>(addresses.keySet());
        for (Member member : members) {
            if (!member.id().equals(self)) {
                gone.remove(member.id());
                addresses.put(member.id(), member.address());
                connect(member.id());
            }
        }
        gone.forEach(addresses::remove); // what is open stays, for who is removed is still told so
    }

    /** To a member; empty while there is none. */
    Optional<Connection> to(String id) {
        return Optional.ofNullable(connections.get(id));
    }

    /** To all members that are reached now. */
    List<Connection> connections() {
        return List.copyOf(connections.values());
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what follows the connection ends in the callback
    private void connect(String id) {
        String address = addresses.get(id);
        if (closed || address == null || !busy.add(id)) {
            return;
        }
        client.connect(address).whenComplete((connection, failure) -> connected(id, address, connection, failure));
    }

    private void connected(String id, String address, @Nullable Connection connection, @Nullable Throwable failure) {
        if (connection == null) {
            LOG.debug("event=member_not_reached member={} address={}", id, address, failure);
            retryLater(id);
            return;
        }
        connections.put(id, connection);
        LOG.info("event=member_reached member={} address={}", id, address);
        connection.onClose(ended -> {
            connections.remove(id, ended);
            inbox.event(node -> node.connectionLost(id));
            retryLater(id);
        });
    }

    private void retryLater(String id) {
        busy.remove(id);
        if (closed) {
            return;
        }
        try {
            transport.loop(0).schedule(RETRY_MS, () -> connect(id));
        } catch (RejectedExecutionException e) {
            LOG.debug("event=member_not_retried reason=\"the event loops have stopped\"", e);
        }
    }

    @Override
    public void close() {
        closed = true;
        client.close();
    }
}
