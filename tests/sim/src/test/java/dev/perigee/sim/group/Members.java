package dev.perigee.sim.group;

import dev.perigee.client.consumer.ConsumerMetrics;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.sim.ledger.Group;
import dev.perigee.sim.ledger.Look;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** The members of one group, as they come and go. */
final class Members {
    static final int MOST = 4;

    private final Group group;
    private final Member.World world;
    private final SplittableRandom random;
    private final List<Member> present = new ArrayList<>();
    private int joined;

    Members(Group group, Member.World world, SplittableRandom random) {
        this.group = group;
        this.world = world;
        this.random = random;
    }

    /** What a group of that kind is called. */
    static String name(Group.Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    /** What the member of such a group is called that joins as the n-th, from 0; faults name it. */
    static String name(Group.Kind kind, int n) {
        return name(kind) + "-" + n;
    }

    Group group() {
        return group;
    }

    /** One more comes, unless there are many. */
    void join() {
        if (present.size() < MOST) {
            Member member = new Member(name(group.kind(), joined++), group, world, random.split());
            present.add(member);
            world.ledger().note("starts " + member.name());
            member.start();
        }
    }

    /** One leaves in order, unless it is the last. */
    void leave() {
        someone().ifPresent(Member::leave);
    }

    /** One vanishes, unless it is the last. */
    void vanish() {
        someone().ifPresent(member -> {
            present.remove(member);
            member.vanish();
        });
    }

    /** A member that may go: those who were first in a broadcasting group stay. */
    private Optional<Member> someone() {
        List<Member> running = new ArrayList<>(in(Member.State.RUNNING));
        if (!group.isClustering()) {
            running.removeIf(member -> member.name().endsWith("-0"));
        } else if (running.size() < 2) {
            return Optional.empty();
        }
        return running.isEmpty() ? Optional.empty() : Optional.of(running.get(random.nextInt(running.size())));
    }

    private List<Member> in(Member.State state) {
        return present.stream().filter(member -> member.state() == state).toList();
    }

    /** Forgets who is gone. To be called from time to time. */
    void tidy() {
        present.forEach(Member::tidy);
        present.removeIf(member -> member.state() == Member.State.GONE);
        if (present.isEmpty()) {
            join();
        }
    }

    /** How they share the queues, given what the broker lists. */
    Look look(Set<String> listed) {
        Map<String, CompletableFuture<ConsumerMetrics>> asked = new LinkedHashMap<>();
        Set<String> live = new TreeSet<>();
        long faultMs = Long.MIN_VALUE / 2;
        for (Member member : present) {
            faultMs = Math.max(faultMs, member.cable().lastFaultMs());
            if (member.state() == Member.State.RUNNING) {
                live.add(member.clientId());
                asked.put(member.clientId(), member.metrics());
            }
        }
        world.cluster().settle();
        Map<String, Set<MessageQueue>> owned = new TreeMap<>();
        asked.forEach((clientId, metrics) -> {
            if (metrics.isDone() && !metrics.isCompletedExceptionally()) {
                owned.put(clientId, new TreeSet<>(metrics.join().byQueue().keySet()));
            }
        });
        return new Look(world.ledger().nowMs(), group, listed, live, owned, faultMs);
    }
}
