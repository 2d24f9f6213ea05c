package dev.perigee.it.member;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a queue lock promises to an orderly group, held against the calls that all its members noted. For each queue, with the
 * calls in the order they began:
 *
 * <ol>
 *   <li>Alone: a call begins after every call before it has ended; one that never ended, at the latest when its member was dead.
 *   <li>Whole: the first call begins with offset 0, and no call begins behind the first message that is not consumed.
 *   <li>In order: a call begins with the first message that is not consumed; a call that failed comes again from its beginning.
 *   <li>The one way back: after a member was killed the next owner may begin earlier, at what the dead one had committed. That is
 *       never before the message with which the dead one's own ownership began. So nothing that a member consumed that lost the
 *       queue alive, or that left, comes again; and no message comes after a newer one but those of a killed owner.
 * </ol>
 */
public final class LockPromise {
    /** A queue of a topic. */
    public record Queue(String topic, int queueId) {}

    /**
     * What one member says.
     *
     * @param member its name
     * @param notes what it noted
     * @param killedNs when it was dead for certain, if it was killed; otherwise the end of time
     */
    public record Witness(String member, List<Note> notes, long killedNs) {}

    /** One call of a listener; {@code endNs} of a call that a kill ended is when its member was dead. */
    public record Call(String member, long killedNs, long beginNs, long endNs, long offset, int count, Ending ending) {
        private boolean isKilledBefore(long ns) {
            return killedNs < ns;
        }
    }

    /** How a call ended. */
    public enum Ending {
        DONE,
        FAILED,
        KILLED
    }

    private final Map<Queue, List<Call>> calls = new HashMap<>();
    private final Map<Queue, Long> positions = new HashMap<>();
    private final List<String> violations = new ArrayList<>();
    private long delivered;

    private LockPromise() {}

    /** Checks everything these members noted. */
    public static LockPromise check(Collection<Witness> witnesses) {
        LockPromise promise = new LockPromise();
        witnesses.forEach(promise::collect);
        promise.calls.forEach(promise::checkQueue);
        return promise;
    }

    /** The calls of each queue in the order they began. */
    public static Map<Queue, List<Call>> calls(Collection<Witness> witnesses) {
        LockPromise promise = new LockPromise();
        witnesses.forEach(promise::collect);
        promise.calls.values().forEach(LockPromise::sort);
        return promise.calls;
    }

    /** What was broken, in words; empty when all was kept. */
    public List<String> violations() {
        return violations;
    }

    /** How many messages calls consumed, those counted again that came again. */
    public long delivered() {
        return delivered;
    }

    /** The first message of each queue that is not consumed. */
    public Map<Queue, Long> positions() {
        return positions;
    }

    private void collect(Witness witness) {
        Map<Queue, Note> open = new HashMap<>();
        for (Note note : witness.notes()) {
            Queue queue = new Queue(note.topic(), note.queueId());
            switch (note.kind()) {
                case BEGUN -> {
                    Note unfinished = open.put(queue, note);
                    if (unfinished != null) {
                        violations.add(queue + ": two calls at once in " + witness.member() + ": " + unfinished
                                + " and " + note);
                    }
                }
                case DONE -> close(witness, queue, open, note, Ending.DONE);
                case FAILED -> close(witness, queue, open, note, Ending.FAILED);
                default -> {
                    continue;
                }
            }
        }
        open.forEach((queue, begun) -> add(queue, call(witness, begun, witness.killedNs(), Ending.KILLED)));
    }

    private void close(Witness witness, Queue queue, Map<Queue, Note> open, Note end, Ending ending) {
        Note begun = open.remove(queue);
        if (begun == null || begun.offset() != end.offset() || begun.count() != end.count()) {
            violations.add(queue + ": " + witness.member() + " ended " + end + " but had begun " + begun);
            return;
        }
        add(queue, call(witness, begun, end.timeNs(), ending));
    }

    private static Call call(Witness witness, Note begun, long endNs, Ending ending) {
        return new Call(
                witness.member(), witness.killedNs(), begun.timeNs(), endNs, begun.offset(), begun.count(), ending);
    }

    private void add(Queue queue, Call call) {
        calls.computeIfAbsent(queue, unused -> new ArrayList<>()).add(call);
    }

    private static void sort(List<Call> of) {
        of.sort(Comparator.comparingLong(Call::beginNs));
    }

    private void checkQueue(Queue queue, List<Call> inTime) {
        sort(inTime);
        long position = 0; // the first message that is not consumed, as the present owner has to see it
        long ownershipBegan = 0;
        long consumed = 0;
        Call before = null;
        for (Call call : inTime) {
            boolean isTakenOver = before != null && !before.member().equals(call.member());
            long earliest = position;
            if (before != null) {
                if (call.beginNs() < before.endNs()) {
                    violations.add(queue + ": not alone: " + before + " and " + call);
                }
                if (isTakenOver && before.isKilledBefore(call.beginNs())) {
                    earliest = ownershipBegan;
                }
            }
            if (call.offset() > position || call.offset() < earliest) {
                violations.add(queue + ": " + call + " should begin at " + earliest
                        + (earliest == position ? "" : " to " + position) + ", after " + before);
            }
            if (before == null || isTakenOver) {
                ownershipBegan = call.offset();
            }
            position = call.offset();
            if (call.ending() == Ending.DONE) {
                position += call.count();
                delivered += call.count();
            }
            consumed = Math.max(consumed, position);
            before = call;
        }
        positions.put(queue, consumed);
    }

    /** In a form for failure texts. */
    @Override
    public String toString() {
        return new TreeMap<>(Map.of("violations", violations.size(), "delivered", delivered)).toString();
    }
}
