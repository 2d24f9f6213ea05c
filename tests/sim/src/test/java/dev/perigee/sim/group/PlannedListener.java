package dev.perigee.sim.group;

import dev.perigee.client.listener.ConsumeControl;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.listener.MessageListener;
import dev.perigee.client.listener.OrderlyMessageListener;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.sim.cluster.SlowCall;
import dev.perigee.sim.ledger.Call;
import dev.perigee.sim.ledger.Group;
import dev.perigee.sim.ledger.Ledger;
import dev.perigee.sim.ledger.Seen;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A listener that does to each message what its temper says, takes its time where it has some, and writes it all down. */
final class PlannedListener implements MessageListener, OrderlyMessageListener {
    private static final int USUAL_MS = 300;
    /** How much longer than a member may take some calls of a concurrent group are; and how long those of others. */
    private static final int LONG_MS = 5_000;
    /** How long those take that hang: longer than any run. Their messages have to come again without them. */
    private static final long FOREVER_MS = 3_600_000;

    /** What all listeners of a run share: how often each message has failed in a group. */
    static final class Tries {
        private final Map<String, Integer> failed = new HashMap<>();

        int failed(Group group, Seen seen) {
            return failed.getOrDefault(group + " " + seen.body(), 0);
        }

        void fail(Group group, Seen seen) {
            failed.merge(group + " " + seen.body(), 1, Integer::sum);
        }
    }

    private final long seed;
    private final String member;
    private final Group group;
    private final Ledger ledger;
    private final Tries tries;
    private final SplittableRandom random;

    PlannedListener(long seed, String member, Group group, Ledger ledger, Tries tries, SplittableRandom random) {
        this.seed = seed;
        this.member = member;
        this.group = group;
        this.ledger = ledger;
        this.tries = tries;
        this.random = random;
    }

    @Override
    public ConsumeResult consume(List<MessageExt> messages) {
        throw new UnsupportedOperationException("the other one is called");
    }

    @Override
    @SuppressWarnings("NullAway") // gives null now and then, as listeners of users who check nothing do
    public ConsumeResult consume(List<MessageExt> messages, ConsumeControl control) {
        List<Seen> seen = messages.stream()
                .map(message -> new Seen(message.bodyText(), message.queueOffset(), message.reconsumeTimes()))
                .toList();
        Call call = ledger.begin(member, group, control.queue(), seen);
        boolean hasReturned = false;
        try {
            takeTime();
            hasReturned = true;
        } finally {
            if (!hasReturned) {
                ledger.end(call, Call.State.VANISHED, 0);
            }
        }
        return answer(call, control);
    }

    private void takeTime() {
        if (SlowCall.hasTime()) {
            SlowCall.take(lengthMs(random.nextInt(100)));
        }
    }

    private long lengthMs(int dice) {
        if (dice >= 20) {
            return 1L + random.nextInt(USUAL_MS);
        }
        boolean hangs = dice < 5 && group.kind() == Group.Kind.CONCURRENT;
        return hangs ? FOREVER_MS : group.consumeTimeoutMs() + random.nextInt(LONG_MS);
    }

    private @Nullable ConsumeResult answer(Call call, ConsumeControl control) {
        List<Seen> messages = call.messages();
        int good = 0;
        while (good < messages.size() && !fails(messages.get(good))) {
            good++;
        }
        if (good == messages.size()) {
            ledger.end(call, Call.State.SUCCEEDED, good);
            return ConsumeResult.SUCCESS;
        }
        if (group.kind() == Group.Kind.CONCURRENT && random.nextInt(4) == 0) {
            call.askDelay(1 + random.nextInt(4));
            control.retryDelayLevel(call.delayLevel());
        }
        if (good > 0 && group.kind() == Group.Kind.CONCURRENT) {
            messages.subList(good, messages.size()).forEach(seen -> tries.fail(group, seen));
            control.ackUntil(good - 1);
            ledger.end(call, Call.State.SUCCEEDED, good);
            return ConsumeResult.SUCCESS;
        }
        messages.forEach(seen -> tries.fail(group, seen));
        ledger.end(call, Call.State.FAILED, 0);
        return temper(messages.get(good)).fail();
    }

    private boolean fails(Seen seen) {
        return temper(seen).failsAfter(tries.failed(group, seen));
    }

    private Temper temper(Seen seen) {
        return Temper.of(seed, seen.body());
    }
}
