package dev.perigee.protocol.header.group;

import dev.perigee.protocol.header.DefaultValue;

/**
 * Header of DELETE_SUBSCRIPTIONGROUP (207).
 *
 * @param cleanOffset what tools of 5.x call the wish to delete its offsets too
 * @param removeOffset what tools of 4.9.x call it
 */
public record DeleteGroupHeader(
        String groupName,
        @DefaultValue("false") boolean cleanOffset,
        @DefaultValue("false") boolean removeOffset) {
    /** Says it in both ways. */
    public DeleteGroupHeader(String groupName, boolean withOffsets) {
        this(groupName, withOffsets, withOffsets);
    }

    /** Whether its offsets go too. */
    public boolean withOffsets() {
        return cleanOffset || removeOffset;
    }
}
