package dev.perigee.group;

import dev.perigee.group.GroupStanding.FedMember;
import dev.perigee.group.peer.PeerCheck;
import dev.perigee.group.peer.PeerIdentity;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.raft.RaftOrderHeader;
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
import dev.perigee.raft.member.MembersChange;
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
import dev.perigee.replica.follow.Confirmed;
import dev.perigee.replica.follow.ConfirmedFile;
import dev.perigee.replica.follow.ConfirmedKeeper;
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
import java.util.concurrent.CompletableFuture;
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
    private final Confirmed kept;
    private final KeptConfirm keeping = new KeptConfirm();
    private final RaftReplication replication;
    private final RemotingClient client;
    private final GroupLinks links;
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
        this.kept = ConfirmedFile.confirmedIn(seams.disk());
        this.replication = new RaftReplication(inbox, config.configured(), kept.offset());
        this.client = new RemotingClient(seams.links(), seams.transport(), seams.clock());
        this.links = new GroupLinks(
                config.selfId(),
                config.peers().stream().collect(Collectors.toMap(GroupConfig.Peer::id, GroupConfig.Peer::address)),
                client,
                seams.transport(),
                inbox,
                config.electionTimeoutMs() / LOOKS_IN_A_TIMEOUT);
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

    /**
     * Does what a tool orders.
     *
     * @return why it is not done, with the values of both sides; empty when it was begun. Any thread
     */
    public CompletableFuture<Optional<String>> obey(RaftOrderHeader order) {
        String member = order.member();
        if (order.order().equals(RaftOrderHeader.TRANSFER)) {
            return member == null ? transferToBest() : transfer(member);
        }
        if (member == null) {
            return refused("order " + order.order() + " without a member");
        }
        return switch (order.order()) {
            case RaftOrderHeader.ADD -> add(member, order.nodeId(), order.address());
            case RaftOrderHeader.PROMOTE -> promote(member);
            case RaftOrderHeader.REMOVE -> remove(member);
            default -> refused("order " + order.order() + ", wanted transfer, add, promote or remove");
        };
    }

    private CompletableFuture<Optional<String>> add(
            String member, @Nullable String nodeIdText, @Nullable String address) {
        if (nodeIdText == null || address == null) {
            return refused("order add of " + member + " without its node id or its address");
        }
        try {
            return add(member, Long.parseUnsignedLong(nodeIdText, HEX), address);
        } catch (NumberFormatException e) {
            return refused("nodeId=" + nodeIdText + ", wanted up to 16 hexadecimal digits");
        }
    }

    private static CompletableFuture<Optional<String>> refused(String why) {
        return CompletableFuture.completedFuture(Optional.of(why));
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
        LogEnd end = GroupLog.endAt(store.log().extent().epochs(), store.log().endOffset());
        boolean forgot = mayHaveForgotten(store, end);
        keepConfirmed(store, end, forgot);
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

    /** R5. Under synchronous flush what was confirmed here and is gone was never answered for. */
    private boolean mayHaveForgotten(Store store, LogEnd end) {
        boolean isOther = kept.offset() > end.endOffset()
                || (kept.offset() > store.log().startOffset() && epochIdBefore(store, kept.offset()) != kept.epochId());
        return store.recovery().mayHaveLostTail() || refill.isUnderWay() || (flushMode == FlushMode.ASYNC && isOther);
    }

    private static long epochIdBefore(Store store, long offset) {
        return GroupLog.endAt(store.log().extent().epochs(), offset).epochId();
    }

    /**
     * From now on, or from when this node is sure again of what it held: until then what was kept says that it is not. What comes in the
     * place of what is gone is not confirmed by that, so then less may be kept than was before.
     */
    private void keepConfirmed(Store store, LogEnd end, boolean forgot) throws IOException {
        boolean isLess = kept.offset() > end.endOffset();
        ConfirmedKeeper keeper =
                new ConfirmedKeeper(seams.disk(), store.log(), forgot ? Confirmed.NOTHING : kept, store::background);
        if (forgot) {
            refill.onDone(() -> keeping.keep(keeper));
        } else {
            if (isLess) {
                keeper.keepHere();
            }
            keeping.keep(keeper);
        }
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
        return keeping;
    }

    /**
     * Another member is to lead.
     *
     * @return why it is not, for instance because this node does not lead; empty when it was begun. Any thread
     */
    public CompletableFuture<Optional<String>> transfer(String successor) {
        return order(node -> node.transfer(successor));
    }

    /** As above, to the voter that holds most. */
    public CompletableFuture<Optional<String>> transferToBest() {
        return order(RaftNode::transferToBest);
    }

    /**
     * A new node receives the log, and counts for nothing yet.
     *
     * @param nodeId the name of its folder (R6)
     * @return why it does not, with the values of both sides; empty when the leader appends that, which is confirmed later. Any thread
     */
    public CompletableFuture<Optional<String>> add(String id, long nodeId, String address) {
        return order(node -> node.change(new MembersChange.Add(new Member(id, nodeId, address))));
    }

    /** A node that only receives gets a vote; as {@link #add}. */
    public CompletableFuture<Optional<String>> promote(String id) {
        return order(node -> node.change(new MembersChange.Promote(id)));
    }

    /** A node leaves, also the one that leads; as {@link #add}. */
    public CompletableFuture<Optional<String>> remove(String id) {
        return order(node -> node.change(new MembersChange.Remove(id)));
    }

    private CompletableFuture<Optional<String>> order(RaftInbox.Event order) {
        return new RaftInbox.NodeOrder(order).give(inbox, seams.transport());
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
