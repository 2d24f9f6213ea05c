package dev.perigee.protocol.header.raft;

import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of RAFT_ORDER (20018).
 *
 * @param order {@code transfer}, {@code add}, {@code promote} or {@code remove}
 * @param member whom it is about; of a transfer whoever holds most, when absent
 * @param nodeId of {@code add}: the name of the new member's folder, in hexadecimal digits, as its RAFT_STATUS says it
 * @param address of {@code add}: where it listens for members, {@code host:port}
 */
public record RaftOrderHeader(
        String order,
        @OptionalField @Nullable String member,
        @OptionalField @Nullable String nodeId,
        @OptionalField @Nullable String address) {
    public static final String TRANSFER = "transfer";
    public static final String ADD = "add";
    public static final String PROMOTE = "promote";
    public static final String REMOVE = "remove";
}
