package dev.perigee.group;

import dev.perigee.group.peer.PeerAddresses;
import dev.perigee.group.peer.PeerCheck;
import dev.perigee.loop.InOrder;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection of this node to each other member, for all it has to say to that one. When one ends, or cannot be made, it is made anew after
 * {@link #RETRY_MS}, so that no election waits for a connection: at the next of its {@link PeerAddresses}, if nobody or somebody else is
 * there. One over which was asked, and whose member then was not heard for
 * {@link #SILENT_LOOKS} looks, is closed: after a partition the old one may wait as long again as that took before it sends anything.
 */
@ThreadSafe
final class GroupLinks implements PeerCheck.Links, AutoCloseable {
    /** Between the end of a connection and the next attempt. */
    static final long RETRY_MS = 200;

    /** Between two questions over a link, which followers have nothing to say over: a connection is closed when nothing moves for 120 s. */
    static final long PING_MS = 40_000;

    /** The same where somebody else was found in its place. */
    static final long DOUBTFUL_RETRY_MS = 1_000;

    /** So often nothing was heard since something was asked. */
    static final int SILENT_LOOKS = 6;

    private static final Logger LOG = LoggerFactory.getLogger(GroupLinks.class);

    /** An open connection. */
    private static final class Link {
        private final String address;
        private final Connection connection;
        /** Something was asked since the member was heard last. */
        private volatile boolean waits;
        /** Whether the member was recognized at the other end. */
        private volatile boolean fits;

        private final AtomicInteger silentLooks = new AtomicInteger();

        Link(String address, Connection connection, boolean fits) {
            this.address = address;
            this.connection = connection;
            this.fits = fits;
        }
    }

    private final String self;
    private final RemotingClient client;
    private final Transport transport;
    private final RaftInbox inbox;
    private final long lookMs;
    /** Where the settings say that each member is. */
    private final Map<String, String> configured;
    /** Where each of the others may be; who is not here is connected to no more. */
    private final Map<String, PeerAddresses> addresses = new ConcurrentHashMap<>();
    /** Where the log says that a member is, and the settings do not. */
    private final Map<String, String> differing = new ConcurrentHashMap<>();

    private final Map<String, Link> links = new ConcurrentHashMap<>();
    /** For whom an attempt is under way, or a connection is open. */
    private final Set<String> busy = ConcurrentHashMap.newKeySet();

    /** The log tells who the members are, and where. */
    private volatile boolean told;

    /** And that this node is one of them: others have a link to it, over which they answer. */
    private volatile boolean isMember;

    private volatile @Nullable Members members = null;

    /** Who asks each of them who it is. */
    private volatile @Nullable PeerCheck check = null;

    private volatile boolean closed;

    /**
     * To nobody yet.
     *
     * @param configured where the settings say that each member is
     * @param lookMs how often it is looked whether a member answers, half an election timeout
     */
    GroupLinks(
            String self,
            Map<String, String> configured,
            RemotingClient client,
            Transport transport,
            RaftInbox inbox,
            long lookMs) {
        this.self = self;
        this.configured = InOrder.copyOf(configured);
        this.client = client;
        this.transport = transport;
        this.inbox = inbox;
        this.lookMs = lookMs;
    }

    /** Names who is told of each link that opens, and of each that cannot be opened. Before {@link #follow}. */
    void onTried(PeerCheck listener) {
        check = listener;
    }

    /** Who they are; empty before that was said. Any thread. */
    Optional<Members> members() {
        return Optional.ofNullable(members);
    }

    /** These are the members from now on. */
    void follow(Members now) {
        members = now;
        follow(now.all());
    }

    private void follow(List<Member> members) {
        told = members.stream().allMatch(member -> member.nodeId() != 0);
        isMember = told && members.stream().anyMatch(member -> member.id().equals(self));
        Set<String> gone = new HashSet<>(addresses.keySet());
        for (Member member : members) {
            noteAddress(member);
            if (!member.id().equals(self)) {
                gone.remove(member.id());
                PeerAddresses before = addresses.get(member.id());
                if (before == null || !before.beginsWith(member.address())) {
                    connect(member.id(), member.address());
                }
            }
        }
        gone.forEach(addresses::remove); // what is open stays, for who is removed is still told so
    }

    /** An operator hears of it once: a member may have moved, or a file be out of date. */
    private void noteAddress(Member member) {
        String here = configured.get(member.id());
        if (here != null && !here.equals(member.address())) {
            if (!member.address().equals(differing.put(member.id(), member.address()))) {
                LOG.warn(
                        "event=peer_address_differs member={} log={} settings={} effect=both_are_tried",
                        member.id(),
                        member.address(),
                        here);
            }
        }
    }

    /**
     * Where a member listens; empty when it is none of the others, and while it may be at one of several addresses and was not recognized at
     * the one of its link: somebody else may be there.
     */
    Optional<String> address(String id) {
        Link link = links.get(id);
        if (link != null && link.fits) {
            return Optional.of(link.address);
        }
        return Optional.ofNullable(addresses.get(id))
                .filter(PeerAddresses::isOne)
                .map(PeerAddresses::now);
    }

    /**
     * Where a leader says that it is: of who is told by the log that comes first, and of who is only in the settings this. Of
     * those that are no members only the one that spoke last is reached again when its connection ends: a leader that the log does not name
     * yet, or one that leads until its removal is confirmed.
     */
    void known(String id, String address) {
        PeerAddresses place = addresses.get(id);
        if (!address.isEmpty() && !id.equals(self)) {
            if (place == null || (!told && !place.beginsWith(address))) {
                connect(id, address);
            } else {
                place.said(address);
            }
        }
        Members now = members;
        if (told && now != null) {
            addresses
                    .keySet()
                    .removeIf(other -> !other.equals(id) && now.find(other).isEmpty());
        }
    }

    @Override
    public boolean isElsewhere(String id, String address) {
        PeerAddresses place = addresses.get(id);
        if (place == null || place.isOne()) {
            return false;
        }
        boolean elsewhere = place.isElsewhere(address);
        Link link = links.get(id);
        if (link != null && link.address.equals(address)) {
            leave(id, link);
        }
        return elsewhere;
    }

    /** Ends a link to somebody else, who may be another member that is reached over the same connection. */
    private void leave(String id, Link link) {
        boolean isShared = links.entrySet().stream()
                .anyMatch(other -> !other.getKey().equals(id)
                        && other.getValue().connection.equals(link.connection));
        if (!isShared) {
            link.connection.close("somebody else than " + id + " is at " + link.address);
        } else if (links.remove(id, link)) {
            retryLater(id);
        }
    }

    private void connect(String id, String address) {
        addresses.put(id, new PeerAddresses(address, configured.get(id)));
        Link link = links.get(id);
        if (link != null && !link.address.equals(address)) {
            link.connection.close(id + " is at " + address + " now, not at " + link.address);
        }
        connect(id);
    }

    /** To a member; empty while there is none. Where several addresses are tried, none is that was not recognized yet. */
    Optional<Connection> to(String id) {
        return Optional.ofNullable(links.get(id)).filter(link -> link.fits).map(link -> link.connection);
    }

    /** As {@link #to}, for something that is answered; not to who is no member. */
    Optional<Connection> toAsk(String id) {
        Link link = links.get(id);
        if (link != null) {
            link.waits = link.waits || isMember;
        }
        return to(id);
    }

    @Override
    public Optional<Connection> link(String id) {
        return Optional.ofNullable(links.get(id)).map(link -> link.connection);
    }

    @Override
    public void fits(String id, Connection connection) {
        Link link = links.get(id);
        if (link == null || !link.connection.equals(connection)) {
            return;
        }
        PeerAddresses place = addresses.get(id);
        if (!link.fits && place != null && place.isDoubtful()) {
            LOG.info("event=member_reached member={} address={}", id, link.address);
        }
        link.fits = true;
    }

    /** A member was heard, whichever way. */
    void heard(String id) {
        Link link = links.get(id);
        if (link != null) {
            link.waits = false;
            link.silentLooks.set(0);
        }
        PeerAddresses place = addresses.get(id);
        if (place != null) {
            place.heard();
        }
    }

    /** To all members that are reached now. */
    List<Connection> connections() {
        return links.values().stream()
                .filter(link -> link.fits)
                .map(link -> link.connection)
                .toList();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what follows the connection ends in the callback
    private void connect(String id) {
        PeerAddresses place = addresses.get(id);
        if (closed || place == null || !busy.add(id)) {
            return;
        }
        String address = place.now();
        client.connect(address)
                .whenComplete((connection, failure) -> connected(id, place, address, connection, failure));
    }

    private void connected(
            String id,
            PeerAddresses place,
            String address,
            @Nullable Connection connection,
            @Nullable Throwable failure) {
        if (connection == null) {
            place.failed(address);
            LOG.debug("event=member_not_reached member={} address={}", id, address, failure);
            tell(told -> told.notReached(id));
            retryLater(id);
            return;
        }
        Link link = new Link(address, connection, place.isOne());
        links.put(id, link);
        if (place.isDoubtful()) {
            LOG.debug("event=member_reached member={} address={}", id, address); // told when it is recognized
        } else {
            LOG.info("event=member_reached member={} address={}", id, address);
        }
        connection.onClose(ended -> {
            if (links.remove(id, link)) {
                inbox.event(node -> node.connectionLost(id));
                retryLater(id);
            }
        });
        PeerAddresses now = addresses.get(id);
        if (now != null && !now.equals(place) && !now.now().equals(address)) {
            connection.close(id + " is at " + now.now() + " now, not at " + address);
        }
        look(id, link);
        later(PING_MS, () -> ping(id, link));
        tell(told -> told.reached(id, address, connection));
    }

    private void tell(Consumer<PeerCheck> what) {
        PeerCheck listener = check;
        if (listener != null) {
            what.accept(listener);
        }
    }

    private void look(String id, Link link) {
        if (closed || !link.equals(links.get(id))) {
            return;
        }
        if (link.waits && link.silentLooks.incrementAndGet() > SILENT_LOOKS) {
            LOG.info("event=member_silent member={} address={}", id, link.address);
            PeerAddresses place = addresses.get(id);
            if (place != null) {
                place.failed(link.address);
            }
            link.connection.close(id + " answers nothing");
            return;
        }
        later(lookMs, () -> look(id, link));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what follows the answer ends in the callback
    private void ping(String id, Link link) {
        PeerCheck asking = check;
        if (closed || asking == null || !link.equals(links.get(id))) {
            return;
        }
        later(PING_MS, () -> ping(id, link));
        if (!link.fits) {
            return; // is asked who it is anyway
        }
        link.waits = true;
        asking.ping(link.connection).whenComplete((answer, failure) -> {
            if (answer != null) {
                heard(id);
            }
        });
    }

    private void retryLater(String id) {
        busy.remove(id);
        if (!closed) {
            PeerAddresses place = addresses.get(id);
            later(place != null && place.isDoubtful() ? DOUBTFUL_RETRY_MS : RETRY_MS, () -> connect(id));
        }
    }

    private void later(long ms, Runnable task) {
        try {
            transport.loop(0).schedule(ms, task);
        } catch (RejectedExecutionException e) {
            LOG.debug("event=members_not_looked_at reason=\"the event loops have stopped\"", e);
        }
    }

    @Override
    public void close() {
        closed = true;
        client.close();
    }
}
