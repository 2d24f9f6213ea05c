package dev.perigee.protocol.fact;

import java.util.List;

/**
 * Who belongs to the group of brokers that elects its master, from here on, confirmed or not: any majority of its voters counts (R15).
 * A change adds or takes away one of them at most.
 *
 * @param voters whose majority decides, in order
 * @param learners who receive the log and count for nothing
 */
public record MembersChanged(List<GroupMember> voters, List<GroupMember> learners) implements Fact {
    static final String KIND = "MEMBERS_CHANGED";

    public MembersChanged {
        voters = voters == null ? List.of() : List.copyOf(voters);
        learners = learners == null ? List.of() : List.copyOf(learners);
    }

    @Override
    public String kind() {
        return KIND;
    }

    /**
     * One of them.
     *
     * @param id as configured, for instance {@code n0}
     * @param nodeId the random name of its data folder, hex digits: the same id with another folder is another node (R6)
     * @param address where it listens for the others, {@code host:port}
     */
    public record GroupMember(String id, String nodeId, String address) {}
}
