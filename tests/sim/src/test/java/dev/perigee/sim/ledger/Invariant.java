package dev.perigee.sim.ledger;

import dev.perigee.protocol.message.MessageQueue;

/**
 * Something that must hold in every run. It is told everything that happens, in order, and says so through a {@link
 * Verdict} when it does not hold. Times are milliseconds of the run.
 */
public interface Invariant {
    /** A send was answered with success. */
    default void acknowledged(String body, MessageQueue queue, long offset) {}

    /** A listener was called. */
    default void begun(Call call) {}

    /** A listener's call is over, its outcome handed to the client or lost with it. */
    default void ended(Call call) {}

    /** The broker answered where a group stands. */
    default void offsetRead(Group group, MessageQueue queue, long offset) {}

    /** A tool set a group's position, which counts from now on. */
    default void offsetReset(Group group, MessageQueue queue, long offset) {}

    /** The broker has ended, in order or not. */
    default void brokerEnded() {}

    /** A broker has started where one ended. */
    default void brokerStarted() {}

    /** Somebody joined and was there from now on. */
    default void joined(Group group, String member) {}

    /** Somebody began to leave. */
    default void left(Group group, String member) {}

    /** Somebody's process is gone, with its connections. */
    default void vanished(Group group, String member) {
        left(group, member);
    }

    /** A group was looked at. */
    default void looked(Look look) {}

    /** The broker's messages were read, after a restart. */
    default void read(Remains remains) {}

    /** Nothing more happens. */
    default void over(Remains remains) {}
}
