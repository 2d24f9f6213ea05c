package dev.perigee.protocol.fact;

import java.util.List;

/**
 * The first fact of every segment: what one must know to read on from there.
 *
 * @param logId random id of the log
 * @param epochNumber the epoch at the head
 * @param epochId id of that epoch
 * @param epochStart physical offset at which that epoch began
 * @param members the members of the group, empty for a single node
 * @param segmentSizeBytes size of segments when the log was made
 */
public record LogHead(
        String logId, int epochNumber, String epochId, long epochStart, List<String> members, long segmentSizeBytes)
        implements Fact {
    static final String KIND = "LOG_HEAD";

    public LogHead {
        members = members == null ? List.of() : members;
    }

    @Override
    public String kind() {
        return KIND;
    }
}
