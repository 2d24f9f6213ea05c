package dev.perigee.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.store.append.FlushMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Nodes of one group on the test's thread; time passes only when the test lets it. */
@OwnedBy("the test")
final class SteppedGroup {
    static final long STEP_MS = 10;
    private static final int FIRST_PORT = 10_911;
    private static final int NETWORK_STEPS = 100_000;
    private static final int PATIENCE_STEPS = 3_000;

    final Random random;
    final List<GroupNode> nodes = new ArrayList<>();
    private final Clock clock = new Clock() {
        @Override
        public long wallMs() {
            return 1_700_000_000_000L + passedMs;
        }

        @Override
        public long monotonicNs() {
            return (1_000 + passedMs) * 1_000_000;
        }
    };
    final MemoryTransport network = new MemoryTransport(clock);
    private long passedMs;

    SteppedGroup(long seed, int size) {
        random = new Random(seed);
        List<GroupConfig.Peer> peers = IntStream.range(0, size)
                .mapToObj(i -> new GroupConfig.Peer("n" + i, "127.0.0.1:" + (FIRST_PORT + i)))
                .toList();
        for (int i = 0; i < size; i++) {
            GroupConfig config = GroupConfig.of("cluster", "broker-a", "n" + i, peers);
            nodes.add(new GroupNode(config, FIRST_PORT + i, random, clock, network));
        }
    }

    /** All of them open, and one that leads and admits clients. */
    static SteppedGroup began(long seed, int size) throws Exception {
        return began(seed, size, FlushMode.SYNC);
    }

    static SteppedGroup began(long seed, int size, FlushMode flush) throws Exception {
        SteppedGroup group = new SteppedGroup(seed, size);
        for (GroupNode node : group.nodes) {
            node.flush = flush;
            node.open();
        }
        group.leader();
        return group;
    }

    static String address(int port) {
        return "127.0.0.1:" + port;
    }

    /** One more node, not open yet; its settings name the peers and itself, in the place of a peer of its id. */
    GroupNode another(String id, int port) {
        List<GroupConfig.Peer> peers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            if (!id.equals("n" + i)) {
                peers.add(new GroupConfig.Peer("n" + i, address(FIRST_PORT + i)));
            }
        }
        peers.add(new GroupConfig.Peer(id, address(port)));
        return another(GroupConfig.of("cluster", "broker-a", id, peers), port);
    }

    /** One more node, not open yet, with these settings. */
    GroupNode another(GroupConfig config, int port) {
        GroupNode node = new GroupNode(config, port, random, clock, network);
        nodes.add(node);
        return node;
    }

    long passedMs() {
        return passedMs;
    }

    void run(long ms) {
        for (long end = passedMs + ms; passedMs < end; passedMs += STEP_MS) {
            for (GroupNode node : nodes) {
                node.step();
                network.runUntilIdle(NETWORK_STEPS);
            }
        }
    }

    /** Until that came to be, half a minute at most. */
    void await(String what, BooleanSupplier reached) {
        for (int i = 0; i < PATIENCE_STEPS && !reached.getAsBoolean(); i++) {
            run(STEP_MS);
        }
        assertThat(reached.getAsBoolean())
                .as(
                        "%s; standings %s, faults %s",
                        what, nodes.stream().map(GroupNode::standing).toList(), faults())
                .isTrue();
    }

    List<Throwable> faults() {
        return nodes.stream().flatMap(node -> node.faults.stream()).toList();
    }

    /** Who leads, admits clients and has confirmed its own epoch; waited for. */
    GroupNode leader() {
        await("a leader", () -> nodes.stream().anyMatch(SteppedGroup::serves));
        return nodes.stream().filter(SteppedGroup::serves).findFirst().orElseThrow();
    }

    /** As {@link #leader}, another one than this. */
    GroupNode leaderBut(GroupNode one) {
        await("another leader", () -> others(one).stream().anyMatch(SteppedGroup::serves));
        return others(one).stream().filter(SteppedGroup::serves).findFirst().orElseThrow();
    }

    /** Gives an order again until nothing is against it, and what it appended is confirmed. */
    void order(String what, Supplier<CompletableFuture<Optional<String>>> order) {
        List<String> refusals = new ArrayList<>();
        for (int i = 0; i < PATIENCE_STEPS; i++) {
            CompletableFuture<Optional<String>> done = order.get();
            await("an answer to " + what, done::isDone);
            if (done.join().isEmpty()) {
                run(10 * STEP_MS);
                return;
            }
            refusals.add(done.join().get());
            run(10 * STEP_MS);
        }
        throw new AssertionError(what + " was refused: " + refusals.get(refusals.size() - 1));
    }

    private static boolean serves(GroupNode node) {
        return node.leads() && node.standing().admits() && node.standing().established();
    }

    List<GroupNode> others(GroupNode one) {
        return nodes.stream().filter(node -> !node.equals(one)).toList();
    }

    /** Until all that are up hold, and show, the same bytes. */
    void awaitLevel() {
        GroupNode leader = leader();
        await(
                "all level",
                () -> nodes.stream()
                        .filter(GroupNode::isUp)
                        .allMatch(node -> node.log().endOffset() == leader.log().endOffset()
                                && node.log().confirmOffset() == leader.log().endOffset()));
        long start = nodes.stream()
                .filter(GroupNode::isUp)
                .mapToLong(node -> node.log().startOffset())
                .max()
                .orElseThrow();
        for (GroupNode node : nodes) {
            if (node.isUp()) {
                assertThat(Arrays.mismatch(node.bytesFrom(start), leader.bytesFrom(start)))
                        .as("where the log of %s from %d on differs from that of %s", node.id(), start, leader.id())
                        .isEqualTo(-1);
            }
        }
    }
}
