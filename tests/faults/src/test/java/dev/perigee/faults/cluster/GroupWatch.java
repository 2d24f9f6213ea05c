package dev.perigee.faults.cluster;

import com.alibaba.fastjson2.JSONObject;
import dev.perigee.faults.history.History;
import dev.perigee.faults.history.Operation;
import dev.perigee.faults.history.Operation.Led;
import dev.perigee.faults.machine.Moment;
import dev.perigee.harness.RemotingProbe.Answer;
import dev.perigee.harness.RemotingProbe.Line;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Asks each member of a group ten times a second who leads, and each of Perigee's, which answer for their leader, also what is committed and where
 * queues end. Each question has a thread of its own, so that a member that does not answer delays no other. Safe for use by several threads.
 */
public final class GroupWatch implements AutoCloseable {
    private static final int GET_MAX_OFFSET = 30;
    private static final int QUERY_CONSUMER_OFFSET = 14;
    private static final int NOT_FOUND = 22;
    private static final long LOOK_MS = 100;
    /** What the load writes in about a second: members are not looked at in one moment. */
    private static final long LEVEL_BYTES = 256 << 10;

    private static final long ASK_MS = 250;

    private final Make make;
    private final List<Member> members;
    private final Map<Member, MemberView> views = new ConcurrentHashMap<>();
    private final List<Operation> seen = new ArrayList<>();
    /** Stands for the term, which stock members do not tell: each time one says anew that it leads. */
    private final AtomicLong stockLeaderships = new AtomicLong();

    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean closed;

    private GroupWatch(Make make, List<Member> members) {
        this.make = make;
        this.members = members;
    }

    static GroupWatch start(Make make, List<Member> members) {
        GroupWatch watch = new GroupWatch(make, List.copyOf(members));
        for (Member member : watch.members) {
            watch.run("looks-at-" + member.id(), make.asked(member), LOOK_MS, line -> watch.look(member, line));
            if (make == Make.PERIGEE) {
                watch.run("asks-" + member.id(), member.address(), ASK_MS, watch.new Offsets());
            }
        }
        return watch;
    }

    /** The index of whoever leads in the highest term, as it said last; empty when nobody did. */
    public OptionalInt leader() {
        return IntStream.range(0, members.size())
                .filter(i -> leads(members.get(i)))
                .reduce((a, b) -> term(a) >= term(b) ? a : b);
    }

    private boolean leads(Member member) {
        return Optional.ofNullable(views.get(member)).map(MemberView::leads).orElse(false);
    }

    private long term(int index) {
        return Optional.ofNullable(views.get(members.get(index)))
                .map(MemberView::term)
                .orElse(Operation.NONE);
    }

    /** Whether all follow one leader of one term and have nearly all that it has, or there are none. */
    public boolean isOfOneMind() {
        return isLevel()
                && views.keySet().containsAll(members)
                && views.values().stream()
                                .map(view -> view.term() + " " + view.leader())
                                .distinct()
                                .count()
                        <= 1
                && views.values().stream().allMatch(view -> view.leader() != null);
    }

    /** What each member said last, for whoever has to explain what follows. */
    public String said() {
        return members.stream()
                .map(member -> member.id() + " " + views.get(member))
                .collect(Collectors.joining(", "));
    }

    private boolean isLevel() {
        LongSummaryStatistics ends =
                views.values().stream().mapToLong(MemberView::end).summaryStatistics();
        return views.isEmpty() || ends.getMax() - ends.getMin() <= LEVEL_BYTES;
    }

    /** Adds what was seen, in the order of time. */
    public void addTo(History history) {
        seen().forEach(history::add);
    }

    /** Who led, as members said. */
    public List<Led> led() {
        return seen().stream()
                .filter(Led.class::isInstance)
                .map(Led.class::cast)
                .sorted(Comparator.comparingLong(Led::atUs))
                .toList();
    }

    private List<Operation> seen() {
        synchronized (seen) {
            return List.copyOf(seen);
        }
    }

    private void note(Operation operation) {
        synchronized (seen) {
            seen.add(operation);
        }
    }

    /** Looks at one member; what it says is noted when it is not what it said before. */
    private void look(Member member, Line line) throws IOException {
        MemberView view = make.view(member, line);
        MemberView before = views.put(member, view);
        String leader = view.leader();
        boolean isNew = before == null || before.term() != view.term() || !Objects.equals(leader, before.leader());
        if (make == Make.STOCK) {
            if (isNew && view.leads()) {
                note(new Led(member.id(), stockLeaderships.incrementAndGet(), member.id(), Moment.nowUs()));
            }
        } else if (isNew && leader != null) {
            note(new Led(member.id(), view.term(), leader, Moment.nowUs()));
        }
    }

    /** What committed offsets and ends of queues one member tells, one queue after the other. */
    private final class Offsets implements Poll.Question {
        private int next;

        @Override
        public void ask(Line line) throws IOException {
            int queue = next++ % Cluster.QUEUES;
            JSONObject fields = JSONObject.of("topic", Cluster.TOPIC, "queueId", queue);
            long beginUs = Moment.nowUs();
            Answer end = line.ask(GET_MAX_OFFSET, fields);
            if (end.code() == 0) {
                note(new Operation.End(queue, end.fields().getLongValue("offset"), beginUs, Moment.nowUs()));
            }
            fields.put("consumerGroup", Cluster.GROUP);
            beginUs = Moment.nowUs();
            Answer committed = line.ask(QUERY_CONSUMER_OFFSET, fields);
            if (committed.code() == 0 || committed.code() == NOT_FOUND) {
                long offset = committed.code() == 0 ? committed.fields().getLongValue("offset") : Operation.NONE;
                note(new Operation.Query(queue, offset, beginUs, Moment.nowUs()));
            }
        }
    }

    private void run(String name, String address, long everyMs, Poll.Question question) {
        Thread thread = new Thread(() -> new Poll(address, everyMs, question).run(() -> closed), name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    /** Stops to look. Blocks for some seconds when members do not answer. */
    @Override
    public void close() {
        closed = true;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
