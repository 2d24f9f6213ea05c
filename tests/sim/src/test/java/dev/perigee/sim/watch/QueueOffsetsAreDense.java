package dev.perigee.sim.watch;

import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.QueueEnds;
import dev.perigee.protocol.fact.QueueFloor;
import dev.perigee.protocol.fact.TopicDeleted;
import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.store.view.LogEntry;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The offsets of each queue count its frames from 0 on, without a gap that no fact tells of, in the order of the log. Facts are in no
 * queue: what stands there in their frames begins anew with every start.
 */
final class QueueOffsetsAreDense implements LogInvariant {
    private record Queue(String machine, String topic, int queueId) {}

    private final Verdict verdict;
    private final Map<Queue, Long> ends = new HashMap<>();
    /** Where queues begin that nobody named before, by machine. */
    private final Map<String, Long> floors = new HashMap<>();
    /** Topics deleted behind that, whose queues begin at 0. */
    private final Set<String> deletedSince = new HashSet<>();

    QueueOffsetsAreDense(Verdict verdict) {
        this.verdict = verdict;
    }

    @Override
    public void confirmed(BrokerMachine machine, LogEntry entry) {
        Fact fact = entry.fact();
        if (fact == null) {
            count(new Queue(machine.memory(), entry.topic(), entry.queueId()), entry);
        } else if (fact instanceof QueueEnds told) {
            told.ends().forEach((id, end) -> ends.merge(new Queue(machine.memory(), told.topic(), id), end, Math::max));
        } else if (fact instanceof QueueFloor floor) {
            floors.put(machine.memory(), floor.offset());
            deletedSince.removeIf(topic -> topic.startsWith(machine.memory() + " "));
        } else if (fact instanceof TopicDeleted deleted) {
            deletedSince.add(machine.memory() + " " + deleted.topic());
            ends.keySet().removeIf(one -> one.machine.equals(machine.memory()) && one.topic.equals(deleted.topic()));
        }
    }

    private void count(Queue queue, LogEntry entry) {
        long floor =
                deletedSince.contains(queue.machine + " " + queue.topic) ? 0 : floors.getOrDefault(queue.machine, 0L);
        long expected = ends.getOrDefault(queue, floor);
        if (entry.queueOffset() != expected) {
            verdict.broken(
                    getClass(),
                    "the frame at " + entry.offset() + " of " + queue + " has offset " + entry.queueOffset() + ", not "
                            + expected);
        }
        ends.put(queue, entry.queueOffset() + 1);
    }
}
