package dev.perigee.protocol.fact;

/**
 * A consumer group is gone.
 *
 * @param group its name
 * @param cleanOffset whether its offsets are gone, too
 */
public record GroupDeleted(String group, boolean cleanOffset) implements Fact {
    static final String KIND = "GROUP_DELETED";

    @Override
    public String kind() {
        return KIND;
    }
}
