package dev.perigee.protocol.fact;

import java.util.List;

/**
 * Something a broker decided, kept in its log as a frame of the fact topic. Views are folds over messages and facts.
 * Adding a fact is: one record here and one line in {@link FactCodec}.
 */
public sealed interface Fact
        permits LogHead,
                EpochStarted,
                TopicChanged,
                TopicDeleted,
                GroupChanged,
                GroupDeleted,
                OffsetsCommitted,
                QueueEnds,
                QueueFloor,
                LogTrimmed,
                TimerClosed,
                TimerShifted,
                HalfRolledBack,
                HalvesChecked,
                FeatureLevel,
                ReplicasInSync,
                Fact.MembersChanged,
                Fact.UnknownFact {
    /** The name in the frame's property {@code FACT}. */
    String kind();

    /** Whether a node that does not know this fact must stop serving. */
    default boolean mustUnderstand() {
        return true;
    }

    /**
     * A fact of a newer release.
     *
     * @param kind its name
     * @param mustUnderstand whether this node must stop serving
     * @param body its JSON text
     */
    record UnknownFact(String kind, boolean mustUnderstand, String body) implements Fact {}

    /**
     * Who belongs to the group of brokers that elects its master, from here on, confirmed or not: any majority of its voters counts (R15).
     * A change adds or takes away one of them at most.
     *
     * @param voters whose majority decides, in order
     * @param learners who receive the log and count for nothing
     */
    record MembersChanged(List<GroupMember> voters, List<GroupMember> learners) implements Fact {
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
}
