package dev.perigee.raft;

import dev.perigee.loop.Immutable;
import dev.perigee.raft.member.Members;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What a node wants done after something happened to it. Carried out on the log loop in the order of the components, and before the
 * node is told anything else; what takes time comes back as an event.
 *
 * @param steppedDown it leads no more: everything that waits for a confirmation is answered as of unknown outcome, claims, locks and
 *     overlays go, before anything of a newer epoch is looked at (R2, R33)
 * @param persist to be made durable; then {@link RaftNode#votePersisted}. A later one replaces it
 * @param epochToBegin it leads this term: an epoch of that number is begun; then {@link RaftNode#epochBegun}
 * @param append members to be told by a fact; then {@link RaftNode#membersFound}, or {@link RaftNode#membersRefused}
 * @param truncate everything behind is cut from the log; then {@link RaftNode#truncated}
 * @param confirm the prefix of the log that may be seen (exclusive); never falls
 * @param follow the leader has taken the session in: the host compares both logs, then {@link RaftNode#forked}, or
 *     {@link RaftNode#sessionEnded} when it cannot
 * @param send to be said to others; losing one costs time only
 * @param restored whether it is sure of what it holds again: the note of that on the disk goes (R5)
 * @param refusal why what was asked is not done; empty otherwise
 * @param notes for the operator, one line each, {@code key=value}
 */
@Immutable
public record Effects(
        boolean steppedDown,
        Optional<Vote> persist,
        OptionalInt epochToBegin,
        Optional<Members> append,
        OptionalLong truncate,
        OptionalLong confirm,
        Optional<Following> follow,
        List<RaftMessage> send,
        boolean restored,
        Optional<String> refusal,
        List<String> notes) {
    /** Nothing is to be done. */
    public static final Effects NONE = new Effects(
            false,
            Optional.empty(),
            OptionalInt.empty(),
            Optional.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            Optional.empty(),
            List.of(),
            false,
            Optional.empty(),
            List.of());

    /** Whether this is {@link #NONE}; asked after each event, so it compares nothing with nothing. */
    public boolean isNone() {
        return !steppedDown
                && !restored
                && send.isEmpty()
                && notes.isEmpty()
                && persist.isEmpty()
                && epochToBegin.isEmpty()
                && append.isEmpty()
                && truncate.isEmpty()
                && confirm.isEmpty()
                && follow.isEmpty()
                && refusal.isEmpty();
    }

    /**
     * A session with a leader.
     *
     * @param session its number
     * @param leader whose log is received
     * @param term the leader's
     */
    @Immutable
    public record Following(long session, String leader, int term) {}
}
