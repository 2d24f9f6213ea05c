package dev.perigee.sim.watch;

import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.QueueEnds;
import dev.perigee.protocol.fact.TopicDeleted;
import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.store.view.LogEntry;
import java.util.HashMap;
import java.util.Map;

/**
 * The offsets of each queue count its frames from 0 on, without a gap that no fact tells of, in the order of the log. Facts are in no
 * queue: what stands there in their frames begins anew with every start.
 */
final class QueueOffsetsAreDense implements LogInvariant {
    private record Queue(String machine, String topic, int queueId) {}

    private final Verdict verdict;
    private final Map<Queue, Long> ends = new HashMap<>();

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
        } else if (fact instanceof TopicDeleted deleted) {
            ends.keySet().removeIf(one -> one.machine.equals(machine.memory()) && one.topic.equals(deleted.topic()));
        }
    }

    private void count(Queue queue, LogEntry entry) {
        long expected = ends.getOrDefault(queue, 0L);
        if (entry.queueOffset() != expected) {
            verdict.broken(
                    getClass(),
                    "the frame at " + entry.offset() + " of " + queue + " has offset " + entry.queueOffset() + ", not "
                            + expected);
        }
        ends.put(queue, entry.queueOffset() + 1);
    }
}
