package dev.perigee.broker.offset;

import dev.perigee.loop.Immutable;
import org.jspecify.annotations.Nullable;

/**
 * Who is no member that shares out queues and reads or moves a queue of a group all the same, by address: one that sends no heartbeats, or
 * sends them on another connection; and tools.
 *
 * @param last who pulled last, or moved the position last
 * @param knowing who asked where the group stands, or moved it, last
 * @param overtaken who was the last one when the position was last moved by way of another broker, and knows nothing of that
 */
@Immutable
record Strangers(
        @Nullable String last,
        @Nullable String knowing,
        @Nullable String overtaken) {
    static final Strangers NONE = new Strangers(null, null, null);

    /** After this one has pulled. */
    Strangers readBy(String address) {
        return address.equals(last) ? this : new Strangers(address, knowing, overtaken);
    }

    /** After this one has asked where the group stands. */
    Strangers askedBy(String address) {
        boolean wasOvertaken = address.equals(overtaken);
        return address.equals(knowing) && !wasOvertaken
                ? this
                : new Strangers(last, address, wasOvertaken ? null : overtaken);
    }

    /** After this one has moved the position. */
    Strangers movedBy(String address) {
        return readBy(address).askedBy(address);
    }

    /** After the position was moved by way of another broker. */
    Strangers movedElsewhere() {
        return last == null && knowing == null ? this : new Strangers(null, null, last == null ? overtaken : last);
    }
}
