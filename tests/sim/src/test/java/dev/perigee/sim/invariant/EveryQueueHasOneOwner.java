package dev.perigee.sim.invariant;

import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.sim.ledger.Group;
import dev.perigee.sim.ledger.Invariant;
import dev.perigee.sim.ledger.Look;
import dev.perigee.sim.ledger.Remains;
import dev.perigee.sim.ledger.Verdict;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** When a run has come to rest, the members of each group are known to the broker and share out all queues, retries too. */
public final class EveryQueueHasOneOwner implements Invariant {
    private final Verdict verdict;
    private final Collection<MessageQueue> queues;
    private final Map<Group, Look> last = new HashMap<>();

    public EveryQueueHasOneOwner(Verdict verdict, Collection<MessageQueue> queues) {
        this.verdict = verdict;
        this.queues = List.copyOf(queues);
    }

    @Override
    public void looked(Look look) {
        last.put(look.group(), look);
    }

    @Override
    public void over(Remains remains) {
        last.values().forEach(look -> {
            if (!isShared(look)) {
                verdict.broken(
                        getClass(),
                        look.group() + " at rest: listed " + look.listed() + ", there " + look.live() + ", "
                                + new Sharing(look).faults(all(look.group()), queue -> false));
            }
        });
    }

    /** Whether a group is as it has to be at rest. */
    public boolean isShared(Look look) {
        Sharing sharing = new Sharing(look);
        return sharing.isKnown()
                && sharing.faults(all(look.group()), queue -> false).isEmpty();
    }

    private List<MessageQueue> all(Group group) {
        List<MessageQueue> all = new ArrayList<>(queues);
        all.add(new MessageQueue(group.retryTopic(), queues.iterator().next().brokerName(), 0));
        return all;
    }
}
