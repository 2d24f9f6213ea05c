package dev.perigee.protocol.header.offset;

/** Which of two neighbouring messages a search by time means. */
public enum BoundaryType {
    /** The first message stored at or after the time. */
    LOWER,
    /** The last message stored at or before the time. */
    UPPER
}
