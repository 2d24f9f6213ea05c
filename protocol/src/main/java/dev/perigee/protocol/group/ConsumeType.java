package dev.perigee.protocol.group;

/** How a group takes its messages. */
public enum ConsumeType {
    CONSUME_ACTIVELY,
    CONSUME_PASSIVELY,
    CONSUME_POP
}
