package dev.perigee.group;

import dev.perigee.group.GroupStanding.FedMember;
import dev.perigee.group.peer.PeerCheck;
import dev.perigee.group.peer.PeerIdentity;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.raft.RaftPeerHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.RaftStatus;
import dev.perigee.raft.LogEnd;
import dev.perigee.raft.RaftConfig;
import dev.perigee.raft.RaftConfig.HeldWhen;
import dev.perigee.raft.RaftNode;
import dev.perigee.raft.Recovered;
import dev.perigee.raft.Recovered.Condition;
import dev.perigee.raft.Vote;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import dev.perigee.raft.member.MembersFact;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.transport.Transport;
import dev.perigee.replica.LogFacts;
import dev.perigee.replica.NodeId;
import dev.perigee.replica.ReplicaIdentity;
import dev.perigee.replica.StreamLimits;
import dev.perigee.replica.feed.CommitLogSource;
import dev.perigee.replica.feed.FeedServer;
import dev.perigee.replica.repair.OpenLogRepair;
import dev.perigee.replica.repair.PeerRange;
import dev.perigee.replica.repair.RangeRepair;
import dev.perigee.replica.sync.ReplicaSlots;
import dev.perigee.store.Store;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.append.Replication;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A broker's part in its group. Wiring: the replication is made first, the store is opened with
 * it, then {@link #begin} ties both together, before the store's loops run.
 */
@OwnedBy("starting thread")
public final class Group implements AutoCloseable {
    /** What it takes from outside. */
    public record Seams(Disk disk, Transport transport, ClientConfig links, Clock clock, RandomGenerator random) {}

    private static final Logger LOG = LoggerFactory.getLogger(Group.class);
    private static final int HEX = 16;
    private static final int LOOKS_IN_A_TIMEOUT = 2;

    private final GroupConfig config;
    private final Seams seams;
    private final FlushMode flushMode;
    private final RaftInbox inbox = new RaftInbox();
    private final Refill refill;
    private final KeptConfirm kept;
    private final RaftReplication replication;
    private final RemotingClient client;
    private final GroupLinks links;
    private final GroupOrders orders;
    private volatile Members members;
    private volatile long nodeId;
    private volatile @Nullable GroupFeeds feeds;
    private volatile @Nullable CommitLog log;
    private volatile @Nullable PeerCheck check;
    private volatile @Nullable GroupHost host;
    private LongConsumer repair = offset -> {};

    /**
     * Of a folder; a log there that is too far behind is set aside. Blocks.
     *
     * @throws IOException when it cannot be read, is another one's, or what was kept there as confirmed is damaged
     */
    public Group(GroupConfig config, Seams seams, FlushMode flushMode) throws IOException {
        this.config = config;
        this.seams = seams;
        this.flushMode = flushMode;
        this.members = config.configured();
        GroupFolder.claim(seams.disk(), config);
        config.warning().ifPresent(warning -> LOG.warn("event=even_group reason=\"{}\"", warning));
        this.refill = new Refill(seams.disk());
        if (refill.isUnderWay()) {
            GroupFolder.requireOthers(config);
        }
        this.kept = new KeptConfirm(seams.disk(), flushMode, refill);
        this.replication = new RaftReplication(config.selfId(), inbox, config.configured(), kept.offset());
        this.client = new RemotingClient(seams.links(), seams.transport(), seams.clock());
        this.links = new GroupLinks(
                config.selfId(),
                config.peers().stream().collect(Collectors.toMap(GroupConfig.Peer::id, GroupConfig.Peer::address)),
                client,
                seams.transport(),
                inbox,
                config.electionTimeoutMs() / LOOKS_IN_A_TIMEOUT);
        this.orders = new GroupOrders(inbox, seams.transport());
    }

    /**
     * Names who hears, once, on the preparer, that this process is to stop: its log ends before the leader's first byte, and the next start
     * sets it aside. Before {@link #start}.
     */
    public void onTooOld(Consumer<Throwable> listener) {
        refill.onWanted(listener);
    }

    /** What confirms; the store is opened with it. */
    public Replication replication() {
        return replication;
    }

    /**
     * Opens the store; where its log is damaged below what was confirmed, after that was mended with what another member holds (R28).
     * Blocks, also while those that are asked do not answer.
     *
     * @throws IOException whatever opening fails of
     */
    public <T> T open(RangeRepair.Opening<T> opening) throws IOException {
        List<String> others = config.peers().stream()
                .filter(peer -> !peer.id().equals(config.selfId()))
                .map(GroupConfig.Peer::address)
                .toList();
        return new RangeRepair(seams.disk(), new PeerRange(client, () -> others, seams.clock())).open(opening);
    }

    /** Names who hears, on the log loop, that {@link #standing} is another; must not block. Before the loops run. */
    public void onStanding(Runnable listener) {
        replication.onStanding(listener);
    }

    /** Where a member listens, {@code host:port}; empty when it is none, this node itself, or not surely there now. Any thread. */
    public Optional<String> address(String id) {
        return links.address(id);
    }

    /**
     * What tools are told. Once it has begun; any thread.
     *
     * @param serving whether clients are served here as by the master
     */
    public RaftStatus status(boolean serving) {
        GroupStanding now = standing();
        CommitLog opened = Objects.requireNonNull(log, "not begun");
        Members all = links.members().orElse(members);
        List<RaftStatus.RaftMember> told = all.all().stream()
                .map(each -> new RaftStatus.RaftMember(
                        each.id(), Long.toHexString(each.nodeId()), each.address(), all.isVoter(each.id())))
                .toList();
        return new RaftStatus(
                config.group(),
                config.selfId(),
                Long.toHexString(nodeId),
                config.selfAddress(),
                now.role().name(),
                now.term(),
                now.leaderId().orElse(null),
                serving,
                now.isInTouch(seams.clock().monotonicMs()),
                now.sure(),
                opened.endOffset(),
                opened.confirmOffset(),
                told);
    }

    /** What tools, and this broker itself, may have it do. */
    public GroupOrders orders() {
        return orders;
    }

    /** Connections to the other members, which may hold what is damaged here. Any thread. */
    public List<Connection> connections() {
        return links.connections();
    }

    /** Who is fed here; nobody where another one leads. Any thread. */
    public List<FedMember> fedMembers() {
        GroupFeeds made = feeds;
        return made == null ? List.of() : made.fedMembers(standing().members());
    }

    /** What this node is in its group. Any thread. */
    public GroupStanding standing() {
        return replication.standing();
    }

    /**
     * Takes part, with the log of a store that is open and whose loops do not run yet. Blocks.
     *
     * @return what the group's port answers
     * @throws IOException when the folder cannot be read, or its vote does not fit its log: see {@link VoteFile#read}
     */
    public HandlerTable begin(Store store) throws IOException {
        RaftFrames.prepare();
        NodeId name = NodeId.of(seams.disk(), seams.random());
        long node = Long.parseUnsignedLong(name.text(), HEX);
        nodeId = node;
        log = store.log();
        ReplicaIdentity identity = new ReplicaIdentity(config.cluster(), config.group(), 0, name);
        LogFacts facts = new LogFacts(identity, store.log());
        ReplicaSlots slots = new ReplicaSlots();
        GroupFeeds made = new GroupFeeds(
                new GroupFeeds.Ground(config.group(), config.selfId(), facts, seams.clock()),
                server(store, facts, slots),
                slots,
                inbox,
                links);
        feeds = made;
        long run = seams.random().nextLong() | 1;
        PeerCheck asking = check(name, run, store.log(), slots);
        check = asking;
        links.onTried(asking);
        GroupFollow follow = new GroupFollow(
                config.group(),
                run,
                new FollowedLeader.Ground(store.log(), store.received(), inbox, refill, seams.clock()),
                links,
                seams.transport());
        client.onRequest(
                HandlerTable.builder().on(Rpcs.REPLICA_FETCHED, follow::fetched).build());
        members = store.recovery()
                .members()
                .last()
                .map(fact -> GroupFacts.members(fact).members())
                .orElse(members);
        inbox.onWork(store::wakeLog, store::runLog);
        refill.by(store::background);
        LogEnd end = GroupFacts.endAt(store.log().extent().epochs(), store.log().endOffset());
        boolean forgot = kept.begin(store);
        Vote vote = new VoteFile(seams.disk()).read(end);
        RaftConfig raft = raft(node);
        GroupHost carrier = new GroupHost(
                store,
                new VoteWriter(seams.disk(), store::writeVote, inbox),
                new GroupHost.Ways(new RaftFrames(config.group(), config.selfAddress()), links, made, follow, asking),
                inbox,
                refill,
                new DiskHealth(config.electionTimeoutMs(), config.heartbeatMs()));
        host = carrier;
        replication.begin(
                store.log(),
                carrier,
                (generation, confirm) -> new RaftNode(
                        raft,
                        new Recovered(
                                vote,
                                end,
                                generation,
                                confirm,
                                told(store),
                                forgot ? Condition.RESTORING : Condition.SOUND),
                        seams.random()::nextLong));
        return made.handlers(asking::asked);
    }

    /** Feeds others, and is told of damage that it meets. */
    private FeedServer server(Store store, LogFacts facts, ReplicaSlots slots) {
        FeedServer server = new FeedServer(
                facts,
                new CommitLogSource(store.log()),
                slots,
                seams.transport(),
                store.coldReaders(),
                seams.clock(),
                config.catchUpBytesPerSec());
        OpenLogRepair mending = new OpenLogRepair(
                store.log(), store::mend, links::connections, seams.transport().loop(0), seams.clock());
        server.onDamage(mending);
        repair = mending;
        return server;
    }

    private PeerCheck check(NodeId name, long run, CommitLog opened, ReplicaSlots slots) {
        PeerIdentity self = new PeerIdentity(
                config.cluster(),
                config.broker(),
                config.group(),
                config.selfId(),
                name.text(),
                run,
                StreamLimits.FORMAT,
                StreamLimits.FEATURE_LEVEL);
        return new PeerCheck(
                self,
                new PeerCheck.Ground(
                        links,
                        () -> links.members().orElse(members),
                        this::leadsForSure,
                        () -> opened.endOffset() == opened.startOffset()
                                ? RaftPeerHeader.NONE
                                : Long.toHexString(opened.logId()),
                        slots,
                        seams.transport(),
                        seams.clock()));
    }

    private RaftConfig raft(long node) {
        return new RaftConfig(
                config.selfId(),
                node,
                config.configured(),
                config.electionTimeoutMs(),
                config.heartbeatMs(),
                flushMode == FlushMode.ASYNC ? HeldWhen.WRITTEN : HeldWhen.FORCED);
    }

    private static List<MembersFact> told(Store store) {
        return store.recovery().members().all().stream()
                .map(GroupFacts::members)
                .toList();
    }

    /** Who is to be told where a reader met damage in the log; once it has begun. */
    public LongConsumer onDamage() {
        return repair;
    }

    /** Not one that is cut off, which may be deposed and know members of before. */
    private boolean leadsForSure() {
        GroupStanding now = standing();
        return now.leads() && now.established() && now.isInTouch(seams.clock().monotonicMs());
    }

    /** Connects to the others. The port is open. */
    public void start() {
        check().expect(members.all().stream()
                .map(Member::id)
                .filter(id -> !id.equals(config.selfId()))
                .toList());
        links.follow(members);
    }

    /**
     * Waits until each other member was asked who it is, or was not reached. Blocks.
     *
     * @return why this process may not be in the group, with the values of both sides; empty when nothing is known against it
     */
    public Optional<String> awaitPeers(long mostMs) throws InterruptedException {
        return check().await(mostMs);
    }

    /**
     * Names who hears, once, why this process may not be in its group and is to stop, as of {@link #awaitPeers}; never after it was fed or
     * led. On an event loop, or at once. Once it has begun.
     */
    public void onRefused(Consumer<String> listener) {
        check().onRefused(listener);
    }

    private PeerCheck check() {
        return Objects.requireNonNull(check, "not begun");
    }

    /**
     * What the view loop is to do for it, on every node: keeps how far the log is confirmed, so that a node that was started again stops
     * rather than cut below that. To be among the duties of the store.
     */
    public Duty duty() {
        return kept;
    }

    /**
     * This node is about to stop: it takes no leadership over, and stands only when nobody else does; as one with a slow disk. Where it leads
     * it goes on. Once it has begun; any thread.
     */
    public void resign() {
        GroupHost begun = host;
        if (begun != null) {
            begun.resign();
        }
    }

    /** Speaks to nobody any more. */
    @Override
    public void close() {
        links.close();
    }
}
