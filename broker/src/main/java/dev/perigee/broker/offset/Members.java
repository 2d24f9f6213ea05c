package dev.perigee.broker.offset;

/** Whether a group had members that may hold messages when its offsets were reset. */
public enum Members {
    ONLINE,
    NONE
}
