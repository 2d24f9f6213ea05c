package dev.perigee.broker;

import dev.perigee.broker.check.SlaveGate;
import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.member.ForwardedCalls;
import dev.perigee.broker.member.HandOver;
import dev.perigee.broker.member.LateOrders;
import dev.perigee.broker.member.LeaderChanges;
import dev.perigee.broker.member.Leadership;
import dev.perigee.broker.member.MemberGate;
import dev.perigee.broker.member.MemberStanding;
import dev.perigee.broker.member.OpenWrites;
import dev.perigee.broker.member.OwnGroup;
import dev.perigee.broker.member.PlannedTransfer;
import dev.perigee.broker.member.PreferredLeader;
import dev.perigee.broker.member.RaftHandlers;
import dev.perigee.broker.member.StartRefusedException;
import dev.perigee.broker.metrics.GroupMetrics;
import dev.perigee.broker.registration.RefillWantedException;
import dev.perigee.broker.registration.RegistrationDuty.MasterSearch;
import dev.perigee.broker.start.LateDuties;
import dev.perigee.group.Group;
import dev.perigee.group.GroupStanding;
import dev.perigee.group.GroupStanding.FedMember;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.Gate;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.replica.Standing;
import dev.perigee.store.Store;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What replication is on a member of a group: who leads it is the master, and changes while brokers run. Wiring only. */
@OwnedBy("starting thread")
final class GroupPart implements ReplicationPart {
    /** Longest wait of a start for the other members to say who they are: they are there and answer at once, or are not. */
    private static final long PEERS_MS = 2_000;

    /** So many election timeouts a node may lead without serving clients. */
    private static final long PATIENCE_IN_TIMEOUTS = 10;

    private final BrokerConfig config;
    private final Clock clock;
    private final BrokerSeams seams;
    private final Store store;
    private final Group group;
    private final HandlerTable members;
    private final MemberStanding standing;
    private final ForwardedCalls forwarded;
    private final LeaderChanges changes = new LeaderChanges();
    private final LateOrders late;
    private final OpenWrites open = new OpenWrites();
    private final PlannedTransfer transfer;
    private final LateDuties leadership = new LateDuties(true);
    private volatile Consumer<Runnable> flush = Runnable::run;
    private @Nullable MemberGate gate;
    private @Nullable RemotingServer port;

    /**
     * Of an open store, before its loops run. Blocks.
     *
     * @param client hands over what clients send to the leader
     * @throws IOException when the folder cannot be read, or is not that of a member
     */
    GroupPart(BrokerConfig config, Clock clock, BrokerSeams seams, Store store, Group group, RemotingClient client)
            throws IOException {
        this.config = config;
        this.clock = clock;
        this.seams = seams;
        this.store = store;
        this.group = group;
        this.members = group.begin(store);
        this.standing = new MemberStanding(
                group::standing, config.group().selfId(), config.replication().slaveRead(), clock);
        this.late = new LateOrders(group::standing, clock);
        this.forwarded = new ForwardedCalls(
                client,
                this::taker,
                store::wakeViews,
                new ForwardedCalls.Self(
                        "member " + config.group().selfId() + " of group "
                                + config.group().group(),
                        new OwnGroup(config.group().group(), this::logId)),
                clock);
        this.transfer = new PlannedTransfer(
                standing,
                open,
                then -> flush.accept(then),
                group.orders()::obey,
                store::wakeViews,
                config.group().electionTimeoutMs());
        group.onStanding(() -> {
            changes.see(group.standing());
            late.look();
            store.wakeViews();
        });
    }

    /** Names the log; none of an empty one, which the leader of the group will name. */
    private Optional<String> logId() {
        CommitLog log = store.log();
        return log.endOffset() == log.startOffset() ? Optional.empty() : Optional.of(Long.toHexString(log.logId()));
    }

    /** Where whoever takes what only the master may take listens for members. */
    private Optional<String> taker() {
        return standing.takes()
                ? Optional.of(config.group().selfAddress())
                : standing.group().leaderId().flatMap(group::address);
    }

    @Override
    public Standing standing() {
        return standing;
    }

    @Override
    public long brokerId(BrokerIdentity identity) {
        return standing.brokerId();
    }

    @Override
    public Gate gate(BrokerCore core) {
        return gateOf(core);
    }

    private MemberGate gateOf(BrokerCore core) {
        MemberGate made = gate;
        if (made == null) {
            made = new MemberGate(
                    standing,
                    forwarded,
                    new SlaveGate(standing, core.identity, core.admission),
                    new MemberGate.Served(
                            core.admission, core.clients::consumerOn, late, core.commits.heldQueries()::isHeld),
                    open);
            gate = made;
        }
        return made;
    }

    @Override
    public HandlerTable ofClients(BrokerCore core, HandlerTable handlers) {
        MemberGate before = gateOf(core);
        return HandlerTable.builder().gate(before).onAll(handlers, before).build();
    }

    /**
     * None is looked for. Who is no member is not known to NameServers: those who read it would read what the group had once. One that
     * does not vote yet, or is being filled, does not speak for the topics of the name.
     */
    @Override
    public MasterSearch search() {
        return new MasterSearch() {
            @Override
            public boolean isWanted() {
                return false;
            }

            @Override
            public boolean mayBeRead() {
                return standing.knowsTopics();
            }

            @Override
            public boolean isSilent() {
                return standing.leavesNameToNext();
            }

            @Override
            public boolean isTurnedAway() {
                return standing.isNoMember();
            }

            @Override
            public void foundAt(String haAddress) {
                // Members find each other by their group.
            }
        };
    }

    @Override
    public Collection<Connection> others() {
        return group.connections();
    }

    /** A follower is in sync when what it holds counts. */
    @Override
    public HaStatus status() {
        CommitLog log = store.log();
        GroupStanding now = group.standing();
        long end = log.endOffset();
        List<HaStatus.SlaveState> followers =
                group.fedMembers().stream().map(fed -> state(fed, end)).toList();
        List<Long> inSync = followers.stream()
                .filter(HaStatus.SlaveState::inSync)
                .map(HaStatus.SlaveState::brokerId)
                .toList();
        return new HaStatus(
                standing.serves(),
                now.leads() ? end : 0,
                inSync.size(),
                followers,
                now.leads() ? HaStatus.FollowState.NONE : follows(now, log),
                "RAFT_" + now.role(),
                log.confirmOffset(),
                now.leads() ? inSync : null,
                BrokerReplication.name(log));
    }

    private HaStatus.SlaveState state(FedMember fed, long logEndOffset) {
        return new HaStatus.SlaveState(
                fed.from(),
                fed.heldOffset(),
                Math.max(0, logEndOffset - fed.heldOffset()),
                fed.counts(),
                fed.bytesPerSec(),
                fed.heldOffset(),
                standing.slaveId(fed.id()),
                fed.lagMs());
    }

    private HaStatus.FollowState follows(GroupStanding now, CommitLog log) {
        long unheardMs =
                clock.monotonicMs() - (now.inTouchUntilMs() - config.group().electionTimeoutMs());
        long heardMs = now.inTouchUntilMs() == Long.MIN_VALUE ? 0 : clock.wallMs() - unheardMs;
        return new HaStatus.FollowState(
                now.leaderId().flatMap(group::address).orElse(""),
                0,
                log.endOffset(),
                heardMs,
                heardMs,
                log.confirmOffset(),
                standing.isMasterHeard());
    }

    @Override
    public Optional<GroupMetrics.Figures> group() {
        return Optional.of(new GroupMetrics.Figures(group.status(standing.serves()), changes.count()));
    }

    @Override
    public boolean lacksLeader() {
        return !standing.isNoMember()
                && !standing.serves()
                && standing.otherLeader().isEmpty();
    }

    @Override
    public Optional<String> place() {
        GroupStanding now = group.standing();
        String self = "member " + config.group().selfId() + " of group "
                + config.group().group();
        if (standing.serves()) {
            return Optional.of(self + ", which it leads");
        }
        if (standing.isNoMember()) {
            return Optional.of(self + ", to which it does not belong any more, or not yet");
        }
        return Optional.of(standing.otherLeader()
                .map(leader -> self + ", which " + leader + " leads")
                .orElseGet(() -> self + ", which has no leader yet: "
                        + (1 + group.connections().size()) + " of "
                        + now.memberIds().size() + " members are there"));
    }

    @Override
    public List<Duty> dutiesEverywhere() {
        return List.of(group.duty(), leadership, forwarded, transfer);
    }

    /** None of it in whichever role: it is done while clients are served as by a master. */
    @Override
    public List<Duty> leading(BrokerCore core, List<Duty> duties) {
        flush = core.commits::flushAnyhow;
        leadership.set(List.of(new Leadership(
                standing,
                store::hasOwnEpoch,
                new LeaderSteps(
                        core,
                        config.group().electionTimeoutMs(),
                        () -> group.standing().knownToAll()),
                withPreferred(duties),
                this::giveAway,
                PATIENCE_IN_TIMEOUTS * config.group().electionTimeoutMs())));
        store.wakeViews();
        return List.of();
    }

    private void giveAway() {
        CompletableFuture<?> unused = group.orders().transferToBest(); // refused, it is tried again
    }

    private List<Duty> withPreferred(List<Duty> duties) {
        String preferred = config.group().preferredLeader();
        if (preferred.isEmpty() || preferred.equals(config.group().selfId())) {
            return duties;
        }
        List<Duty> all = new ArrayList<>(duties);
        all.add(PreferredLeader.of(preferred, group::fedMembers, transfer));
        return all;
    }

    @Override
    public void start(Begun begun) throws RemotingException, IOException {
        MemberGate before = gate;
        HandlerTable.Builder table = HandlerTable.builder().onAll(members, HandlerTable.Before.NOTHING);
        RemotingServer made = new RemotingServer(
                ReplicationPart.port(
                        config, config.groupPort().host(), config.groupPort().port()),
                before == null
                        ? table.build()
                        : table.onAll(begun.clients(), before.ofMembers()).build(),
                seams.transport(),
                clock);
        group.onTooOld(why -> begun.onFailure().accept(new RefillWantedException("member", why)));
        port = made;
        made.start();
        group.start();
        if (seams.threads()) {
            requirePlace();
        }
        group.onRefused(why -> begun.onFailure().accept(new StartRefusedException(why)));
    }

    /** What is known against this process within moments stops the start, before it says that it is ready. Blocks. */
    private void requirePlace() throws StartRefusedException {
        try {
            Optional<String> refusal = group.awaitPeers(PEERS_MS);
            if (refusal.isPresent()) {
                throw new StartRefusedException(refusal.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the rest of the start sees it
        }
    }

    @Override
    public void resign() {
        group.resign();
    }

    @Override
    public boolean wasMasterWithin(long ms) {
        return standing.servedWithin(ms);
    }

    @Override
    public long handedOn() {
        return forwarded.came();
    }

    /** Where this member leads, offsets that were committed are logged before (R26). */
    @Override
    public boolean handOver(BrokerCore core, Predicate<BooleanSupplier> until) {
        return !group.standing().leads()
                || new HandOver(standing, transfer, core.commits::flushAnyhow, until, clock, seams.threads()).run();
    }

    @Override
    public void addTo(HandlerTable.Builder table) {
        new RaftHandlers(group, standing, transfer).addTo(table);
    }

    @Override
    public void close() {
        group.close();
        RemotingServer opened = port;
        if (opened != null) {
            opened.close();
        }
    }
}
