package dev.perigee.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact.MembersChanged;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.epoch.MemberFact;
import java.io.IOException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Groups whose nodes are killed, lose power, stand still and cannot be reached, as a seed says: one leader in a term, and what was acknowledged is
 * on all of them when the faults are over.
 */
final class GroupFaultsTest {
    private static final long FIRST_SEED = Long.getLong("group.firstSeed", 100);
    private static final long SEEDS = Long.getLong("group.seeds", 60);
    private static final long SHORT_MS = 6_000;
    private static final long FAULTS_MS = 20_000;
    private static final long HEAL_MS = 30_000;
    private static final int MOST_TRIES = 20;
    private static final long ROOM_BYTES = 1L << 39;

    private enum Fault {
        KILL,
        POWER_LOSS,
        ALL_LOSE_POWER,
        FROZEN,
        DEAF,
        BROKEN_CONNECTIONS,
        STALLED_DISK,
        FULL_DISK,
        FAILED_FORCE,
        WIPED_DISK,
        TRANSFER,
        MEMBERS
    }

    private static final List<Fault> ALL = List.of(Fault.values());

    @Test
    void aFewGroupsLoseNothing() throws Exception {
        Map<Fault, Integer> happened = new EnumMap<>(Fault.class);
        for (long seed = 1; seed <= 3; seed++) {
            run(seed, SHORT_MS, happened);
        }
        assertThat(happened).as("what went wrong").hasSizeGreaterThan(2);
    }

    @Tag("full")
    @Test
    void manyGroupsLoseNothing() throws Exception {
        Map<Fault, Integer> happened = new EnumMap<>(Fault.class);
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            run(seed, FAULTS_MS, happened);
        }
        System.out.println("groups under faults: " + happened);
        assertThat(happened.keySet()).as("what went wrong").containsExactlyElementsOf(ALL);
    }

    private static void run(long seed, long faultsMs, Map<Fault, Integer> happened) throws Exception {
        Course course = new Course(seed, faultsMs, happened);
        try {
            course.run();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
    }

    /** The course of one seed. */
    @OwnedBy("the test")
    private static final class Course {
        private final SteppedGroup group;
        private final Map<Fault, Integer> happened;
        private final Map<Integer, String> leaders = new HashMap<>();
        private final Map<Long, String> acknowledged = new TreeMap<>();
        private final Map<GroupNode, Long> backAtMs = new HashMap<>();
        private final Map<GroupNode, Long> roomAtMs = new HashMap<>();
        private final Set<GroupNode> failing = new HashSet<>();
        private @Nullable GroupNode replacing;
        /** It is to leave before it comes again. */
        private boolean leaving;

        private long orderMs;

        private final long faultsMs;
        private final boolean keepsPower;

        Course(long seed, long faultsMs, Map<Fault, Integer> happened) throws Exception {
            this.happened = happened;
            this.faultsMs = faultsMs;
            this.keepsPower = seed % 3 == 0; // under asynchronous flush what a majority forgets is lost
            this.group = SteppedGroup.began(seed, seed % 4 == 0 ? 5 : 3, keepsPower ? FlushMode.ASYNC : FlushMode.SYNC);
        }

        void run() throws Exception {
            long nextFaultMs = group.passedMs() + 500;
            for (long end = group.passedMs() + faultsMs; group.passedMs() < end; ) {
                if (group.passedMs() >= nextFaultMs) {
                    happen();
                    nextFaultMs = group.passedMs() + 200 + group.random.nextInt(1_500);
                }
                for (GroupNode node : group.nodes) {
                    if (node.standing().admits() && node.isUp()) {
                        node.send(group.random.nextInt(group.random.nextInt(20) == 0 ? 20_000 : 300));
                    }
                }
                bringBack();
                replace();
                group.run(SteppedGroup.STEP_MS);
                stopFailed();
                check();
            }
            heal();
        }

        private void happen() throws Exception {
            Fault fault = ALL.get(group.random.nextInt(ALL.size()));
            GroupNode node = group.nodes.get(group.random.nextInt(group.nodes.size()));
            if (!node.isUp()) {
                return;
            }
            switch (fault) {
                case KILL -> {
                    note(node);
                    node.kill();
                    backAtMs.put(node, group.passedMs() + 100 + group.random.nextInt(3_000));
                }
                case POWER_LOSS -> crash(node);
                case ALL_LOSE_POWER ->
                    group.nodes.stream().filter(GroupNode::isUp).forEach(this::crash);
                case FROZEN -> node.freeze(200 + group.random.nextInt(3_000));
                case DEAF -> {
                    if (!node.isDeaf()) {
                        node.deaf();
                        backAtMs.put(node, group.passedMs() + 100 + group.random.nextInt(3_000));
                    }
                }
                case BROKEN_CONNECTIONS -> group.network.breakConnectionsTo(node.port);
                case STALLED_DISK -> node.stallDisk(100 + group.random.nextInt(3_000));
                case FULL_DISK -> {
                    node.disk.freeBytes(0);
                    roomAtMs.put(node, group.passedMs() + 100 + group.random.nextInt(3_000));
                }
                case FAILED_FORCE -> {
                    node.disk.failForces(1);
                    failing.add(node);
                }
                case MEMBERS -> {
                    if (!mayReplace(node)) {
                        return;
                    }
                    replacing = node;
                    leaving = true;
                }
                case WIPED_DISK -> {
                    if (keepsPower || !mayReplace(node)) {
                        return;
                    }
                    note(node);
                    node.kill();
                    node.wipe();
                    node.open();
                    replacing = node;
                }
                case TRANSFER ->
                    group.nodes.stream()
                            .filter(GroupNode::isUp)
                            .filter(GroupNode::leads)
                            .forEach(leader -> given(leader.group().orders().transfer(node.id())));
            }
            happened.merge(fault, 1, Integer::sum);
        }

        /** One at a time, while a leader is there and all others are up: else a majority may be gone. */
        private boolean mayReplace(GroupNode node) {
            return replacing == null
                    && group.nodes.stream()
                            .allMatch(other -> other.isUp() && other.standing().sure())
                    && group.others(node).stream()
                            .anyMatch(other -> other.standing().established());
        }

        /** The operator gives the place of a node whose disk is gone to what stands there now. */
        private void replace() throws IOException {
            GroupNode node = replacing;
            if (node == null || !node.isUp() || group.passedMs() < orderMs) {
                return;
            }
            orderMs = group.passedMs() + 100;
            long nodeId = node.nodeId();
            for (GroupNode leader : group.others(node)) {
                if (leader.isUp() && leader.leads()) {
                    Optional<MemberFact> told =
                            leader.log().members(leader.log().endOffset()).last();
                    told.ifPresent(fact -> order(leader.group(), fact.members(), node, nodeId));
                }
            }
            for (GroupNode leader : group.others(node)) {
                if (leader.isUp() && leader.standing().established()) {
                    leaving &= isVoter(leader, node, nodeId);
                    if (!leaving && isVoter(leader, node, nodeId)) {
                        replacing = null;
                    }
                }
            }
        }

        /** As the leader has it confirmed. */
        private static boolean isVoter(GroupNode leader, GroupNode node, long nodeId) {
            return leader.log().members(leader.log().confirmOffset()).last().stream()
                    .flatMap(fact -> fact.members().voters().stream())
                    .anyMatch(voter ->
                            voter.id().equals(node.id()) && voter.nodeId().equals(Long.toHexString(nodeId)));
        }

        private void order(Group leader, MembersChanged now, GroupNode node, long nodeId) {
            boolean isOld = Stream.concat(now.voters().stream(), now.learners().stream())
                    .anyMatch(member ->
                            member.id().equals(node.id()) && !member.nodeId().equals(Long.toHexString(nodeId)));
            boolean learns =
                    now.learners().stream().anyMatch(member -> member.id().equals(node.id()));
            boolean votes = now.voters().stream().anyMatch(member -> member.id().equals(node.id()));
            if (isOld || leaving) {
                given(leader.orders().remove(node.id()));
            } else if (learns) {
                given(leader.orders().promote(node.id()));
            } else if (!votes) {
                given(leader.orders().add(node.id(), nodeId, "127.0.0.1:" + node.port));
            }
        }

        /** Whether anything is against an order is seen by what comes of it. */
        private static void given(CompletableFuture<Optional<String>> order) {
            assertThat(order).isNotCompletedExceptionally();
        }

        private void crash(GroupNode node) {
            note(node);
            if (keepsPower) {
                node.kill();
            } else {
                node.crash();
            }
            backAtMs.put(node, group.passedMs() + 100 + group.random.nextInt(3_000));
        }

        /** A force that fails stops the process; its pages look as if they were on the disk. */
        private void stopFailed() {
            for (GroupNode node : List.copyOf(failing)) {
                if (!node.faults.isEmpty() || !node.isUp()) {
                    failing.remove(node);
                    if (node.isUp()) {
                        note(node);
                        node.kill();
                        backAtMs.put(node, group.passedMs() + 100 + group.random.nextInt(3_000));
                    }
                    node.faults.clear();
                }
            }
        }

        private void bringBack() throws Exception {
            for (GroupNode node : group.nodes) {
                if (roomAtMs.getOrDefault(node, Long.MAX_VALUE) <= group.passedMs()) {
                    roomAtMs.remove(node);
                    node.disk.freeBytes(ROOM_BYTES);
                }
            }
            for (GroupNode node : group.nodes) {
                if (backAtMs.getOrDefault(node, Long.MAX_VALUE) <= group.passedMs()) {
                    backAtMs.remove(node);
                    if (!node.isUp()) {
                        node.open();
                    } else if (node.isDeaf()) {
                        node.hear();
                    }
                }
            }
        }

        private void check() {
            for (GroupNode node : group.nodes) {
                note(node);
                if (node.leads()) {
                    String before = leaders.putIfAbsent(node.standing().term(), node.id());
                    assertThat(before)
                            .as("leader of term %d", node.standing().term())
                            .isIn(null, node.id());
                }
            }
            assertThat(group.faults()).as("nodes that stopped").isEmpty();
        }

        private void note(GroupNode node) {
            node.acknowledged.forEach((offset, text) -> {
                String before = acknowledged.putIfAbsent(offset, text);
                assertThat(before).as("what was acknowledged at %d", offset).isIn(null, text);
            });
            node.acknowledged.clear();
        }

        /** Until it is known what becomes of it: the leader may be about to hand over. */
        private void sendOne(GroupNode leader) {
            int known = leader.results.size();
            leader.send(1);
            group.await("an answer to what is sent after the faults, known " + known, () -> {
                check();
                return leader.results.size() > known;
            });
        }

        private void heal() throws Exception {
            long healedMs = group.passedMs();
            for (GroupNode node : group.nodes) {
                node.freeze(0);
                node.stallDisk(0);
                node.disk.failForces(0);
                roomAtMs.put(node, 0L);
                backAtMs.replace(node, 0L);
            }
            failing.clear();
            bringBack();
            while (replacing != null && group.passedMs() < healedMs + HEAL_MS) {
                replace();
                group.run(SteppedGroup.STEP_MS);
            }
            assertThat(replacing)
                    .as("the node whose place is to be given to another folder")
                    .isNull();
            int before = acknowledged.size();
            for (int tries = 0; tries < MOST_TRIES && acknowledged.size() == before; tries++) {
                sendOne(group.leader());
            }
            assertThat(acknowledged)
                    .as("with one that was sent after the faults")
                    .hasSizeGreaterThan(before);
            group.awaitLevel();
            check();
            assertThat(acknowledged).isNotEmpty();
            for (Map.Entry<Long, String> message : acknowledged.entrySet()) {
                for (GroupNode node : group.nodes) {
                    assertThat(node.read(message.getKey()))
                            .as("acknowledged at %d, on %s", message.getKey(), node.id())
                            .contains(message.getValue());
                }
            }
        }
    }
}
