package dev.perigee.broker.offset;

import dev.perigee.loop.Immutable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who is no member that shares out queues and reads or moves a queue of a group all the same, by address: one that sends no heartbeats, or
 * sends them on another connection; and tools.
 *
 * @param last who pulled last, or moved the position last
 * @param knowing those that asked where the group stands, or moved it, since it was last moved by way of another broker; the last {@link
 *     #MAX_KNOWING} of them
 * @param overtaken who was the last one when the position was last moved by way of another broker, and knows nothing of that
 */
@Immutable
record Strangers(
        @Nullable String last,
        List<String> knowing,
        @Nullable String overtaken) {
    /** Of more the first is forgotten: it is to ask again. */
    static final int MAX_KNOWING = 8;

    static final Strangers NONE = new Strangers(null, List.of(), null);

    /** Whether this one has asked where the group stands, or moved it. */
    boolean isKnowing(String address) {
        return knowing.contains(address);
    }

    /** After this one has pulled. */
    Strangers readBy(String address) {
        return address.equals(last) ? this : new Strangers(address, knowing, overtaken);
    }

    /** After this one has asked where the group stands. */
    Strangers askedBy(String address) {
        boolean wasOvertaken = address.equals(overtaken);
        if (isKnowing(address)) {
            return wasOvertaken ? new Strangers(last, knowing, null) : this;
        }
        List<String> more =
                new ArrayList<>(knowing.subList(Math.max(0, knowing.size() + 1 - MAX_KNOWING), knowing.size()));
        more.add(address);
        return new Strangers(last, List.copyOf(more), wasOvertaken ? null : overtaken);
    }

    /** After this one has moved the position. */
    Strangers movedBy(String address) {
        return readBy(address).askedBy(address);
    }

    /** After the position was moved by way of another broker. */
    Strangers movedElsewhere() {
        return last == null && knowing.isEmpty()
                ? this
                : new Strangers(null, List.of(), last == null ? overtaken : last);
    }
}
