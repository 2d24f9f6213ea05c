package dev.perigee.sim.fault;

import dev.perigee.protocol.fact.Fact.MembersChanged;
import dev.perigee.protocol.fact.Fact.MembersChanged.GroupMember;
import dev.perigee.protocol.header.raft.RaftOrderHeader;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.RaftStatus;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.cluster.Machine;
import dev.perigee.store.log.CommitLog;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whoever runs a group: moves its leadership, and gives the place of a member to what stands there with an empty disk, one at a time and
 * while all others have what was acknowledged. It gives its orders as {@code perigee raft} does, again until they are carried out.
 */
final class GroupOperator {
    private static final long LOOK_MS = 200;
    private static final int TIMEOUT_MS = 3_000;
    /** So long after a member said that it is sure that is on its disk: until then it starts again as one that is not. */
    private static final long NOTED_MS = 1_000;

    private final Cluster cluster;
    private final Consumer<String> note;
    private final RemotingClient tool;
    private final Queue<FaultEvent> wanted = new ArrayDeque<>();
    private final Map<FaultKind, Integer> done = new EnumMap<>(FaultKind.class);
    private @Nullable BrokerMachine replaced;
    /** The one that is replaced is to leave before it loses its disk. */
    private boolean leaves;

    private @Nullable CompletableFuture<?> order;
    /** Who said that it has all that it ever answered for, since they were asked; and in which life of its process. */
    private final Map<BrokerMachine, Long> sure = new HashMap<>();

    /** Since when the first replacement is wanted; negative as long as none is. */
    private long firstWantedMs = -1;

    private boolean isAsked;
    private long askedMs;
    private long lookMs;

    GroupOperator(Cluster cluster, Consumer<String> note) {
        this.cluster = cluster;
        this.note = note;
        this.tool = new RemotingClient(ClientConfig.DEFAULT, cluster.network(), cluster.clock());
    }

    /** How often what was carried out. */
    Map<FaultKind, Integer> done() {
        return done;
    }

    /** Whether all that was wanted is done: every broker is a member that votes. */
    boolean isSettled() {
        return wanted.isEmpty() && replaced == null;
    }

    /**
     * Whether a disk is gone, or is to go: then nobody may lose his power, for who finds a torn end when he comes back is not sure of what he
     * held, and of those that are a majority must be left.
     */
    boolean isReplacing() {
        return replaced != null;
    }

    /** Somebody else is to lead; nothing when nobody does. */
    void transfer(FaultEvent event) {
        BrokerMachine leader = leader();
        if (leader != null) {
            String to = event.amount() % 2 == 0 ? named(event.on()).memberId() : null;
            give(leader, new RaftOrderHeader(RaftOrderHeader.TRANSFER, to, null, null));
            done.merge(FaultKind.TRANSFER, 1, Integer::sum);
        }
    }

    /** A member is to be replaced, after its disk was lost or in order, as soon as that is possible. */
    void replace(FaultEvent event) {
        wanted.add(event);
        if (firstWantedMs < 0) {
            firstWantedMs = cluster.clock().monotonicMs();
        }
    }

    /** Whether the first replacement has been waited for so long and is not begun. */
    boolean waitsForFirst(long patienceMs) {
        return firstWantedMs >= 0
                && !done.containsKey(FaultKind.WIPE)
                && !done.containsKey(FaultKind.REPLACE)
                && cluster.clock().monotonicMs() - firstWantedMs >= patienceMs;
    }

    /** Goes on with what is wanted. */
    void tend() throws IOException {
        long nowMs = cluster.clock().monotonicMs();
        if (isSettled() || nowMs < lookMs || (order != null && !order.isDone())) {
            return;
        }
        lookMs = nowMs + LOOK_MS;
        BrokerMachine leader = leader();
        CommitLog log = leader == null ? null : leader.log().orElse(null);
        if (leader == null || log == null) {
            return;
        }
        BrokerMachine machine = replaced;
        if (machine == null) {
            begin(leader, log);
        } else {
            goOn(machine, leader, log);
        }
    }

    private @Nullable BrokerMachine leader() {
        return cluster.brokers().stream()
                .filter(BrokerMachine::serves)
                .findFirst()
                .orElse(null);
    }

    private BrokerMachine named(String machine) {
        return cluster.brokers().stream()
                .filter(one -> one.name().equals(machine))
                .findFirst()
                .orElseThrow();
    }

    private void begin(BrokerMachine leader, CommitLog log) throws IOException {
        List<BrokerMachine> all = cluster.brokers();
        boolean allVote = voters(log, log.confirmOffset()).size() == all.size()
                && voters(log, log.endOffset()).size() == all.size();
        FaultEvent event = wanted.peek();
        if (event == null || !allVote || !all.stream().allMatch(BrokerMachine::isUp)) {
            isAsked = false;
            return;
        }
        if (!isAsked) {
            ask(all);
            return;
        }
        if (!all.stream().allMatch(this::isSure)) {
            isAsked = false;
            return;
        }
        long nowMs = cluster.clock().monotonicMs();
        if (nowMs - askedMs < NOTED_MS) {
            return;
        }
        isAsked = false;
        wanted.remove();
        all.forEach(BrokerMachine::keepPower);
        leaves = event.kind() == FaultKind.REPLACE;
        BrokerMachine machine = leaves && event.amount() % 2 == 1 ? leader : named(event.on());
        note.accept((leaves ? "leaves " : "loses its disk ") + machine.name());
        replaced = machine;
        done.merge(event.kind(), 1, Integer::sum);
        if (!leaves) {
            empty(machine);
        }
    }

    private void ask(List<BrokerMachine> all) {
        isAsked = true;
        askedMs = cluster.clock().monotonicMs();
        sure.clear();
        lookMs = 0;
        order = CompletableFuture.allOf(all.stream()
                .map(machine -> tool.call(
                                machine.address(),
                                Rpcs.RAFT_STATUS,
                                NoHeader.NONE,
                                null,
                                Deadline.after(cluster.clock(), TIMEOUT_MS))
                        .thenAccept(answer -> {
                            if (answer.isOk() && isSure(answer.body())) {
                                sure.put(machine, machine.changes());
                            }
                        }))
                .toArray(CompletableFuture<?>[]::new));
    }

    /** As it said a moment ago, and it is still the process that said it. */
    private boolean isSure(BrokerMachine machine) {
        return sure.getOrDefault(machine, -1L) == machine.changes();
    }

    private static boolean isSure(byte[] status) {
        try {
            return Json.read(status, RaftStatus.class).sure();
        } catch (BadBodyException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void empty(BrokerMachine machine) throws IOException {
        if (machine.isUp()) {
            machine.end(Machine.End.KILLED);
        }
        machine.wipe();
    }

    private void goOn(BrokerMachine machine, BrokerMachine leader, CommitLog log) throws IOException {
        Optional<GroupMember> now = member(log, log.endOffset(), machine);
        Optional<GroupMember> confirmed = member(log, log.confirmOffset(), machine);
        String id = machine.memberId();
        Optional<String> nodeId = machine.nodeId();
        if (leaves && now.isEmpty() && confirmed.isEmpty()) {
            leaves = false;
            note.accept("has left " + machine.name());
            empty(machine);
        } else if (leaves || (now.isPresent() && !now.map(GroupMember::nodeId).equals(nodeId))) {
            if (now.isPresent()) {
                give(leader, new RaftOrderHeader(RaftOrderHeader.REMOVE, id, null, null));
            }
        } else if (now.isEmpty() && nodeId.isPresent() && machine.isUp()) {
            give(leader, new RaftOrderHeader(RaftOrderHeader.ADD, id, nodeId.get(), machine.memberAddress()));
        } else if (now.isPresent() && !voters(log, log.endOffset()).contains(now.get())) {
            give(leader, new RaftOrderHeader(RaftOrderHeader.PROMOTE, id, null, null));
        } else if (now.isPresent() && voters(log, log.confirmOffset()).contains(now.get())) {
            note.accept("votes again " + machine.name());
            replaced = null;
        }
    }

    private void give(BrokerMachine leader, RaftOrderHeader header) {
        note.accept("order " + leader.name() + " " + header.order() + " " + header.member());
        order = tool.call(leader.address(), Rpcs.RAFT_ORDER, header, null, Deadline.after(cluster.clock(), TIMEOUT_MS));
    }

    private static Optional<MembersChanged> told(CommitLog log, long endOffset) {
        return log.members(endOffset).last().map(fact -> fact.members());
    }

    private static List<GroupMember> voters(CommitLog log, long endOffset) {
        return told(log, endOffset).map(MembersChanged::voters).orElse(List.of());
    }

    private static Optional<GroupMember> member(CommitLog log, long endOffset, BrokerMachine machine) {
        return told(log, endOffset).stream()
                .flatMap(all -> Stream.concat(all.voters().stream(), all.learners().stream()))
                .filter(member -> member.id().equals(machine.memberId()))
                .findFirst();
    }
}
