package dev.perigee.faults.history;

/** What must not be, whatever happened to nodes. */
public enum Violation {
    /** A message was acknowledged, and at the end it is not there. */
    LOST,
    /** A message was acknowledged at one place and lies at another only, or another message lies at that place. */
    MOVED,
    /** Two messages were known by one place: acknowledged there, received from there or stored there at the end. */
    OFFSET_REUSED,
    /** A message was sent once and is there twice. */
    STORED_TWICE,
    /** Of two messages of one sender, the second sent after the first was acknowledged, the second lies first. */
    STORED_OUT_OF_ORDER,
    /** Something is there, or was received, that nobody sent. */
    PHANTOM,
    /** A message was acknowledged and is there, but the group read past it. */
    NOT_RECEIVED,
    /** A message of which nobody was promised anything came to the group, and at the end it is not there. */
    RECEIVED_AND_GONE,
    /** A message came to the group for the first time after one that lies behind it in its queue. */
    RECEIVED_OUT_OF_ORDER,
    /** A smaller committed offset was told than had been told before it was asked for. */
    OFFSET_WENT_BACK,
    /** A smaller end of a queue was told than had been told before it was asked for. */
    END_WENT_BACK,
    /** Two messages were acknowledged for one place of the log. */
    POSITION_REUSED,
    /** Two members of a group led in one term, as they or others said. */
    TWO_LEADERS
}
