package dev.perigee.sim.invariant;

import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.sim.ledger.Look;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;

/** How the members of a group share queues at one instant. */
final class Sharing {
    private final Look look;

    Sharing(Look look) {
        this.look = look;
    }

    /** What keeps the members' queues from being a partition of these queues; empty when nothing does. */
    List<String> faults(Collection<MessageQueue> queues, Predicate<MessageQueue> mayBeUnowned) {
        List<String> faults = new ArrayList<>();
        TreeMap<MessageQueue, List<String>> owners = new TreeMap<>();
        queues.forEach(queue -> owners.put(queue, new ArrayList<>()));
        look.owned()
                .forEach((member, owned) -> owned.forEach(queue -> {
                    List<String> known = owners.get(queue);
                    if (known != null) {
                        known.add(member);
                    }
                }));
        owners.forEach((queue, members) -> {
            if (members.size() > 1 || (members.isEmpty() && !mayBeUnowned.test(queue))) {
                faults.add(queue.topic() + "/" + queue.queueId() + " is owned by " + members);
            }
        });
        return faults;
    }

    /** Whether the broker knows exactly those members that are there. */
    boolean isKnown() {
        return look.listed().equals(look.live());
    }
}
