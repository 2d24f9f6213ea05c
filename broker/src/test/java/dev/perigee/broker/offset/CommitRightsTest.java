package dev.perigee.broker.offset;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a member's commit may do, by who holds the queue's lock, who read it last, and who asked or committed last. */
final class CommitRightsTest {
    @ParameterizedTest
    @CsvSource({
        // holder, last reader, mover, right, other
        ",    ,    me,  OBEY,",
        ",    ,    you, RAISE,      you",
        ",    ,    ,    RAISE,",
        ",    me,  me,  OBEY,",
        ",    me,  you, RAISE,      you",
        ",    me,  ,    RAISE,",
        ",    you, me,  STALE,      you",
        "me,  ,    ,    OBEY,",
        "me,  you, you, OBEY,",
        "you, ,    me,  NOT_HOLDER, you",
        "you, me,  me,  NOT_HOLDER, you",
        "you, she, me,  NOT_HOLDER, you",
    })
    void theLockCountsMoreThanWhoReadLastAndThatMoreThanWhoMovedIt(
            String holder, String lastReader, String mover, CommitRights.Right right, String other) {
        assertThat(CommitRights.decide("me", holder, lastReader, mover))
                .isEqualTo(new CommitRights.Verdict(right, other));
    }
}
