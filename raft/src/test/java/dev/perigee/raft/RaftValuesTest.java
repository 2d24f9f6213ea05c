package dev.perigee.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.raft.RaftConfig.HeldWhen;
import dev.perigee.raft.Recovered.Condition;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What cannot be is refused where it comes in, with the values in the text. */
final class RaftValuesTest {
    private static final Members TWO =
            Members.ofVoters(List.of(new Member("n0", 0, "a:1"), new Member("n1", 0, "b:1")));

    @Test
    void aLaterEpochIsMoreThanALongerLog() {
        LogEnd longer = new LogEnd(2, 9, 500);
        LogEnd later = new LogEnd(3, 9, 100);

        assertThat(later.isAtLeast(longer)).isTrue();
        assertThat(longer.isAtLeast(later)).isFalse();
        assertThat(later.isAtLeast(later)).isTrue();
        assertThat(new LogEnd(3, 8, 100).isAtLeast(later)).isTrue();
        assertThat(LogEnd.EMPTY.isAtLeast(later)).isFalse();
    }

    @Test
    void effectsAreNoneOnlyWhenNothingOfThemIsThere() {
        Effects none = Effects.NONE;
        List<Effects> some = List.of(
                effects(true, Optional.empty(), List.of(), false, List.of()),
                effects(false, Optional.of(Vote.NONE), List.of(), false, List.of()),
                effects(false, Optional.empty(), List.of(new RaftMessage.Lead("n0", "n1", 1, 0, 0)), false, List.of()),
                effects(false, Optional.empty(), List.of(), true, List.of()),
                effects(false, Optional.empty(), List.of(), false, List.of("event=something")),
                new Effects(
                        false,
                        none.persist(),
                        OptionalInt.of(1),
                        none.append(),
                        none.truncate(),
                        none.confirm(),
                        none.follow(),
                        none.send(),
                        false,
                        none.refusal(),
                        none.notes()),
                wanted(
                        Optional.of(TWO),
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        Optional.empty(),
                        Optional.empty()),
                wanted(Optional.empty(), OptionalLong.of(0), OptionalLong.empty(), Optional.empty(), Optional.empty()),
                wanted(Optional.empty(), OptionalLong.empty(), OptionalLong.of(0), Optional.empty(), Optional.empty()),
                wanted(
                        Optional.empty(),
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        Optional.of(new Effects.Following(1, "n1", 1)),
                        Optional.empty()),
                wanted(
                        Optional.empty(),
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        Optional.empty(),
                        Optional.of("")));

        assertThat(none.isNone()).isTrue();
        assertThat(effects(false, Optional.empty(), List.of(), false, List.of()).isNone())
                .isTrue();
        assertThat(some).noneMatch(Effects::isNone);
    }

    private static Effects effects(
            boolean steppedDown, Optional<Vote> persist, List<RaftMessage> send, boolean restored, List<String> notes) {
        return new Effects(
                steppedDown,
                persist,
                OptionalInt.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                send,
                restored,
                Optional.empty(),
                notes);
    }

    private static Effects wanted(
            Optional<Members> append,
            OptionalLong truncate,
            OptionalLong confirm,
            Optional<Effects.Following> follow,
            Optional<String> refusal) {
        return new Effects(
                false,
                Optional.empty(),
                OptionalInt.empty(),
                append,
                truncate,
                confirm,
                follow,
                List.of(),
                false,
                refusal,
                List.of());
    }

    @Test
    void aNodeMustBeAmongItsPeers() {
        assertThatThrownBy(() -> new RaftConfig("n7", 1, TWO, 100, 20, HeldWhen.FORCED))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("n7")
                .hasMessageContaining("n0");
    }

    @Test
    void heartbeatsMustFitIntoAnElectionTimeout() {
        assertThatThrownBy(() -> new RaftConfig("n0", 1, TWO, 59, 20, HeldWhen.FORCED))
                .hasMessageContaining("electionTimeoutMs=59")
                .hasMessageContaining("heartbeatMs=20");
    }

    @Test
    void aVoteOlderThanTheLogWasPutBackFromElsewhere() {
        assertThatThrownBy(() -> new Recovered(
                        new Vote(2, Optional.empty()), new LogEnd(3, 1, 100), 1, 0, List.of(), Condition.SOUND))
                .hasMessageContaining("term 2")
                .hasMessageContaining("epoch 3");
    }

    @Test
    void nothingIsConfirmedBehindTheEnd() {
        assertThatThrownBy(() -> new Recovered(
                        new Vote(3, Optional.empty()), new LogEnd(3, 1, 100), 1, 101, List.of(), Condition.SOUND))
                .hasMessageContaining("confirmOffset=101")
                .hasMessageContaining("100");
    }

    @Test
    void aMessageForAnotherNodeIsRefused() {
        RaftNode node = new RaftNode(
                new RaftConfig("n0", 1, TWO, 100, 20, HeldWhen.FORCED),
                new Recovered(Vote.NONE, LogEnd.EMPTY, 1, 0, List.of(), Condition.SOUND),
                () -> 1);

        assertThatThrownBy(() -> node.step(new RaftMessage.Lead("n0", "n1", 1, 0, 0)))
                .hasMessageContaining("n1");
    }
}
