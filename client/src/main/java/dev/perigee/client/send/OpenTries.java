package dev.perigee.client.send;

import dev.perigee.client.work.ClientLoop;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The tries that wait for an answer. Of those that waited for {@link #SILENT_MS} the route is asked for again and again; a try whose broker
 * is then no master any more is given up, for who stands still, or is cut off, will not answer before the time of the send is over. One that
 * lives hands what it took on to the new master, which takes a moment: so it is given up at the second look that finds it so.
 */
@ThreadSafe
final class OpenTries {
    /** An answer takes longer than that where something is wrong, or a disk is slow. */
    static final long SILENT_MS = 1_000;

    /** Between two looks; none is taken while nothing waits. */
    static final long LOOK_MS = 250;

    /** One try; it is answered, or given up. */
    static final class Try {
        private final String topic;
        private final String brokerName;
        private final String address;
        private final long sentMs;
        private final Consumer<Try> givenUp;
        private final AtomicBoolean over = new AtomicBoolean();
        /** Whether a look has found another master; only looks read it, which the client loop takes one after the other. */
        private boolean isReplaced;

        private Try(String topic, String brokerName, String address, long sentMs, Consumer<Try> givenUp) {
            this.topic = topic;
            this.brokerName = brokerName;
            this.address = address;
            this.sentMs = sentMs;
            this.givenUp = givenUp;
        }

        String address() {
            return address;
        }

        long sentMs() {
            return sentMs;
        }
    }

    private final Destinations destinations;
    private final Consumer<String> lookUp;
    private final ClientLoop loop;
    private final Clock clock;
    private final Set<Try> open = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean looks = new AtomicBoolean();

    /** @param lookUp asks for the route of a topic; several at a time share a request */
    OpenTries(Destinations destinations, Consumer<String> lookUp, ClientLoop loop, Clock clock) {
        this.destinations = destinations;
        this.lookUp = lookUp;
        this.loop = loop;
        this.clock = clock;
    }

    /**
     * A try begins.
     *
     * @param givenUp told on the client loop when it is over because its broker is no master any more
     */
    Try begin(String topic, String brokerName, String address, Consumer<Try> givenUp) {
        Try begun = new Try(topic, brokerName, address, clock.monotonicMs(), givenUp);
        open.add(begun);
        lookLater();
        return begun;
    }

    /** Whether this is the end of the try: false when it was given up before. */
    boolean end(Try ended) {
        open.remove(ended);
        return ended.over.compareAndSet(false, true);
    }

    private void lookLater() {
        if (!looks.get() && looks.compareAndSet(false, true)) {
            loop.after(LOOK_MS, this::look);
        }
    }

    private void look() {
        looks.set(false);
        long nowMs = clock.monotonicMs();
        Set<String> topics = new TreeSet<>();
        for (Try each : open) {
            if (nowMs - each.sentMs < SILENT_MS) {
                continue;
            }
            if (!destinations.isReplaced(each.brokerName, each.address)) {
                topics.add(each.topic);
            } else if (!each.isReplaced) {
                each.isReplaced = true;
            } else if (end(each)) {
                each.givenUp.accept(each);
            }
        }
        topics.forEach(lookUp);
        if (!open.isEmpty()) {
            lookLater();
        }
    }
}
