package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.harness.QueueAt;
import dev.perigee.protocol.message.MessageQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A consumer group with members of several makes, and who of them has which queues. */
final class MixedGroup implements AutoCloseable {
    /** Longest time of a change; only a machine that is busy with something else needs much of it. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    /** One change at least is seen so soon, on a slow machine too: members that were told nothing would see one after ten seconds, on the average. */
    private static final Duration SOON = Duration.ofSeconds(5);

    private static final Duration POLL = Duration.ofMillis(20);

    /** What is asked of the shares besides that each queue has one owner. */
    enum Shares {
        /** Nobody has two queues of a topic more than another. */
        EVEN,
        /** Nothing: a hash decides. */
        ANY
    }

    private final OwnBench bench;
    private final String name;
    private final Shares shares;
    private final AdminClient admin;
    private final List<QueueAt> queues = new ArrayList<>();
    private final List<GroupMember> live = new ArrayList<>();
    private final List<GroupMember> ever = new ArrayList<>();
    private final List<Long> tookMs = new ArrayList<>();

    MixedGroup(OwnBench bench, String name, List<String> topics, Shares shares) throws Exception {
        this.bench = bench;
        this.name = name;
        this.shares = shares;
        admin = bench.admin();
        for (String topic : topics) {
            admin.topics().queues(topic).forEach(queue -> queues.add(GroupMember.at(queue)));
        }
    }

    /** A member that has just come in; the queues must be shared out anew at once. */
    <M extends GroupMember> M joined(M member) {
        live.add(member);
        ever.add(member);
        sharesAllQueuesSoon(member + " has joined");
        return member;
    }

    /** Lets a member say goodbye. */
    void leaves(GroupMember member) {
        live.remove(member);
        member.leave();
        sharesAllQueuesSoon(member + " has left");
    }

    /** Ends a member by SIGKILL: its connections close with it, so the time runs from the end of its process. */
    void loses(GroupMember member, Runnable kill) {
        live.remove(member);
        kill.run();
        sharesAllQueuesSoon(member + " was killed");
    }

    private void sharesAllQueuesSoon(String change) {
        long beganNs = System.nanoTime();
        await(change)
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(POLL)
                .ignoreExceptions()
                .untilAsserted(() -> {
                    List<Set<QueueAt>> ownWords = new ArrayList<>();
                    List<Set<QueueAt>> relayed = new ArrayList<>();
                    for (GroupMember member : live) {
                        ownWords.add(ofTopics(member.owned()));
                        relayed.add(ofTopics(runningInfo(member)));
                    }
                    assertShared(ownWords);
                    assertThat(relayed).as("by code 307").isEqualTo(ownWords);
                });
        tookMs.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs));
    }

    private Set<QueueAt> runningInfo(GroupMember member) throws Exception {
        Set<MessageQueue> told = admin.groups()
                .runningInfo(name, member.clientId(), false, bench.target().broker())
                .mqTable()
                .keySet();
        return told.stream().map(GroupMember::at).collect(Collectors.toSet());
    }

    private Set<QueueAt> ofTopics(Set<QueueAt> owned) {
        return owned.stream().filter(queues::contains).collect(Collectors.toSet());
    }

    /** Each queue has one owner; even shares of each topic. */
    private void assertShared(List<Set<QueueAt>> owned) {
        assertThat(owned.stream().flatMap(Set::stream).toList()).containsExactlyInAnyOrderElementsOf(queues);
        if (shares == Shares.EVEN) {
            assertEven(owned);
        }
    }

    private void assertEven(List<Set<QueueAt>> owned) {
        for (String topic : queues.stream().map(QueueAt::topic).distinct().toList()) {
            List<Long> counts = owned.stream()
                    .map(mine -> mine.stream()
                            .filter(queue -> queue.topic().equals(topic))
                            .count())
                    .sorted()
                    .toList();
            assertThat(counts.get(counts.size() - 1) - counts.get(0))
                    .as("shares of " + topic)
                    .isLessThanOrEqualTo(1);
        }
    }

    /** What any member ever got. */
    Set<String> consumed() {
        Set<String> all = new HashSet<>();
        ever.forEach(member -> all.addAll(member.bodies()));
        return all;
    }

    /** All that are left leave. */
    @Override
    public void close() {
        live.forEach(GroupMember::leave);
        admin.close();
        System.out.println(name + " shared its queues anew after " + tookMs + " ms");
        assertThat(tookMs).as("one that was seen soon").anyMatch(ms -> ms < SOON.toMillis());
    }
}
