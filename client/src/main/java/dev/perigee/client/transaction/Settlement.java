package dev.perigee.client.transaction;

/** Whether the broker has taken a decision. */
public enum Settlement {
    /** It has: the message is delivered or gone. */
    ACCEPTED,
    /**
     * It has not, and will not: it was decided otherwise before, by a check, or the time for it is over and checks decide. The
     * local transaction and the message may differ now.
     */
    REFUSED,
    /** There is no decision, or it is not known to have arrived: the broker will ask. */
    OPEN
}
