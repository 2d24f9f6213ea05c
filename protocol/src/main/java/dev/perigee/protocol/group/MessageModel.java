package dev.perigee.protocol.group;

/** Whether the members of a group share the messages or each gets all. */
public enum MessageModel {
    CLUSTERING,
    BROADCASTING
}
