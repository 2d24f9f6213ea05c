package dev.perigee.sim.invariant;

import dev.perigee.protocol.topic.TopicName;
import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.ledger.Call;
import dev.perigee.sim.ledger.Group;
import dev.perigee.sim.ledger.Invariant;
import dev.perigee.sim.ledger.Seen;
import dev.perigee.sim.ledger.Verdict;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A message that comes from a group's retry topic has failed before and has waited since as long as its delay says. */
public final class RetriesWait implements Invariant {
    /** Level of messages whose call took too long. */
    private static final int TIMEOUT_LEVEL = 3;

    /** Level of the first retry. */
    private static final int FIRST_LEVEL = 3;

    /** A copy of a message: the first one, or the one that was stored for its n-th retry. */
    private record Copy(Group group, String body, int retries) {}

    private final Verdict verdict;
    /** The earliest time at which a copy's next one may be given to anybody. */
    private final Map<Copy, Long> nextDueMs = new HashMap<>();
    /** Offsets tell apart a copy's retries by the broker, which make a new copy, from those its member makes by itself. */
    private final Map<String, Integer> storedRetries = new HashMap<>();

    public RetriesWait(Verdict verdict) {
        this.verdict = verdict;
    }

    @Override
    public void begun(Call call) {
        if (call.group().kind() != Group.Kind.CONCURRENT) {
            return;
        }
        for (Seen seen : call.messages()) {
            storedRetries.merge(place(call, seen), seen.retries(), Math::min);
            mayFail(
                    call,
                    List.of(seen),
                    TIMEOUT_LEVEL,
                    call.begunMs() + call.group().consumeTimeoutMs());
            if (TopicName.isRetry(call.queue().topic())) {
                checkWait(call, seen);
            }
        }
    }

    private void checkWait(Call call, Seen seen) {
        int retries = retries(call, seen);
        Long dueMs = nextDueMs.get(new Copy(call.group(), seen.body(), retries - 1));
        if (dueMs == null || call.begunMs() < dueMs) {
            verdict.broken(getClass(), call + " begins at " + call.begunMs() + ", due " + text(dueMs));
        }
    }

    private static String text(@Nullable Long dueMs) {
        return dueMs == null ? "never: it has not failed" : "at " + dueMs;
    }

    @Override
    public void ended(Call call) {
        if (call.group().kind() == Group.Kind.CONCURRENT && call.state() != Call.State.VANISHED) {
            mayFail(call, call.failed(), call.delayLevel(), call.endedMs());
        }
    }

    /** From that time on the messages may be given back. */
    private void mayFail(Call call, List<Seen> messages, int level, long failedMs) {
        for (Seen seen : messages) {
            int retries = retries(call, seen);
            int used = level == 0 ? FIRST_LEVEL + retries : level;
            nextDueMs.merge(
                    new Copy(call.group(), seen.body(), retries), failedMs + BrokerMachine.delayMs(used), Math::min);
        }
    }

    private int retries(Call call, Seen seen) {
        return storedRetries.getOrDefault(place(call, seen), seen.retries());
    }

    private static String place(Call call, Seen seen) {
        return call.group() + " " + call.queue().topic() + " " + call.queue().queueId() + " " + seen.offset();
    }
}
