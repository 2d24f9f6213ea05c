package dev.perigee.sim.ledger;

import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.sim.cluster.TurnedClock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The one place where a run is written down: as a history to read, as facts to ask for, and to the invariants. */
public final class Ledger {
    private final TurnedClock clock;
    private final List<Invariant> invariants = new ArrayList<>();
    private final List<String> history = new ArrayList<>();
    private final Map<MessageQueue, NavigableMap<Long, String>> acknowledged = new TreeMap<>();
    private final Set<String> acknowledgedBodies = new LinkedHashSet<>();
    private final Map<Group, Accounts> groups = new LinkedHashMap<>();
    /** As read last. */
    private final Map<String, Long> offsets = new HashMap<>();

    /** What is known of one group. */
    private static final class Accounts {
        final Set<String> finished = new LinkedHashSet<>();
        final Map<String, Integer> failures = new HashMap<>();
        final Set<Call> running = new LinkedHashSet<>();
    }

    /** An empty ledger, written on that clock. */
    public Ledger(TurnedClock clock) {
        this.clock = clock;
    }

    /** One more who is told everything from now on. */
    public void add(Invariant invariant) {
        invariants.add(invariant);
    }

    /** Milliseconds since the run began. */
    public long nowMs() {
        return clock.sinceStartMs();
    }

    /** Writes a line into the history. */
    public void note(String what) {
        history.add(nowMs() + " " + what);
    }

    /** All lines, in order. */
    public List<String> history() {
        return Collections.unmodifiableList(history);
    }

    private void tell(Consumer<Invariant> fact) {
        invariants.forEach(fact);
    }

    /** A send was answered with success. */
    public void acknowledge(String body, MessageQueue queue, long offset) {
        note("stored " + body + " " + queue.queueId() + "/" + offset);
        acknowledged.computeIfAbsent(queue, ignored -> new TreeMap<>()).put(offset, body);
        acknowledgedBodies.add(body);
        tell(invariant -> invariant.acknowledged(body, queue, offset));
    }

    /** A listener was called. */
    public Call begin(String member, Group group, MessageQueue queue, List<Seen> messages) {
        Call call = new Call(member, group, queue, messages, nowMs());
        note("begin " + call);
        of(group).running.add(call);
        tell(invariant -> invariant.begun(call));
        return call;
    }

    /** A call is over. */
    public void end(Call call, Call.State how, int finished) {
        call.end(how, finished, nowMs());
        note(how + (call.failed().isEmpty() || how != Call.State.SUCCEEDED ? " " : " " + finished + " of ") + call);
        Accounts accounts = of(call.group());
        accounts.running.remove(call);
        call.finished().forEach(seen -> accounts.finished.add(seen.body()));
        if (call.isOverdue(nowMs())) { // then its messages went back, also if the member ended later
            call.messages().forEach(seen -> accounts.failures.merge(seen.body(), 1, Integer::sum));
        } else if (how != Call.State.VANISHED) {
            call.failed().forEach(seen -> accounts.failures.merge(seen.body(), 1, Integer::sum));
        }
        tell(invariant -> invariant.ended(call));
    }

    /** The broker answered where a group stands. */
    public void readOffset(Group group, MessageQueue queue, long offset) {
        String place = "offset " + group + " " + queue.queueId();
        if (!Objects.equals(offsets.put(place, offset), offset)) {
            note(place + " is " + offset);
        }
        tell(invariant -> invariant.offsetRead(group, queue, offset));
    }

    /** A tool set a group's position. */
    public void resetOffset(Group group, MessageQueue queue, long offset) {
        note("reset " + group + " " + queue.queueId() + " to " + offset);
        tell(invariant -> invariant.offsetReset(group, queue, offset));
    }

    /** The broker has ended. */
    public void endBroker() {
        note("broker ended");
        tell(Invariant::brokerEnded);
    }

    /** A broker has started where one ended. */
    public void startBroker() {
        note("broker started");
        tell(Invariant::brokerStarted);
    }

    /** A member has joined. */
    public void join(Group group, String member) {
        note("joined " + member);
        tell(invariant -> invariant.joined(group, member));
    }

    /** A member leaves. */
    public void leave(Group group, String member) {
        note("leaves " + member);
        tell(invariant -> invariant.left(group, member));
    }

    /** A member's process is gone. */
    public void vanish(Group group, String member) {
        note("vanished " + member);
        tell(invariant -> invariant.vanished(group, member));
    }

    /** A group was looked at. */
    public void look(Look look) {
        tell(invariant -> invariant.looked(look));
    }

    /** The broker's messages were read. */
    public void read(Remains remains) {
        tell(invariant -> invariant.read(remains));
    }

    /** Nothing more happens. */
    public void close(Remains remains) {
        tell(invariant -> invariant.over(remains));
    }

    private Accounts of(Group group) {
        return groups.computeIfAbsent(group, ignored -> new Accounts());
    }

    /** What was acknowledged, by queue and offset. */
    public Map<MessageQueue, NavigableMap<Long, String>> acknowledged() {
        return Collections.unmodifiableMap(acknowledged);
    }

    /** Which messages were acknowledged. */
    public Set<String> acknowledgedBodies() {
        return Collections.unmodifiableSet(acknowledgedBodies);
    }

    /** Whether some member finished the message. */
    public boolean isFinished(Group group, String body) {
        return of(group).finished.contains(body);
    }

    /** How often a call failed with this message, or took too long. */
    public int failures(Group group, String body) {
        int failures = of(group).failures.getOrDefault(body, 0);
        for (Call call : of(group).running) {
            if (call.isOverdue(nowMs())
                    && call.messages().stream().anyMatch(seen -> seen.body().equals(body))) {
                failures++;
            }
        }
        return failures;
    }

    /** Whether the message was tried as often as it may be. */
    public boolean isExhausted(Group group, String body) {
        return failures(group, body) > group.maxRetries();
    }

    /** The calls under way. */
    public List<Call> running(Group group) {
        return List.copyOf(of(group).running);
    }
}
