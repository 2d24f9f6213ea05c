package dev.perigee.raft;

/** What a node's disk is good for, as far as can be seen now. */
public enum Fitness {
    /** It takes what is written. */
    WELL,
    /** It does, but not long ago a force took longer than a leader may be unheard. */
    SLOW,
    /** It takes facts, but no messages, for want of room. */
    FULL,
    /** It takes nothing now: a force hangs, or there is no room. */
    BLOCKED
}
