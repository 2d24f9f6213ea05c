package dev.perigee.protocol.fact;

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
                MembersChanged,
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
}
