package dev.perigee.broker.offset;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a member's commit may do, by who holds the queue's lock and who read it last. */
final class CommitRightsTest {
    @ParameterizedTest
    @CsvSource({
        // holder, last reader, right, other
        ",    ,    OBEY,",
        ",    me,  OBEY,",
        ",    you, STALE,      you",
        "me,  ,    OBEY,",
        "me,  you, OBEY,",
        "you, ,    NOT_HOLDER, you",
        "you, me,  NOT_HOLDER, you",
        "you, she, NOT_HOLDER, you",
    })
    void theLockCountsMoreThanWhoReadLast(String holder, String lastReader, CommitRights.Right right, String other) {
        assertThat(CommitRights.decide("me", holder, lastReader)).isEqualTo(new CommitRights.Verdict(right, other));
    }
}
