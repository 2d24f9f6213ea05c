package dev.perigee.store.tail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.fact.LogTrimmed;
import dev.perigee.protocol.fact.QueueFloor;
import dev.perigee.protocol.fact.TopicDeleted;
import org.junit.jupiter.api.Test;

final class QueueStartsTest {
    @Test
    void atTheLimitTheOldestDeletionIsForgotten() {
        QueueStarts starts = new QueueStarts(2);
        starts.fold(new TopicDeleted("a"), 10);
        starts.fold(new TopicDeleted("b"), 20);
        starts.fold(new TopicDeleted("a"), 30);
        starts.fold(new TopicDeleted("c"), 40);
        assertThat(starts.isClosed("b")).isFalse();
        assertThat(starts.isClosed("a")).isTrue();
        assertThat(starts.isClosed("c")).isTrue();
    }

    @Test
    void aFloorHoldsForTopicsThatWereNotDeletedBehindIt() {
        QueueStarts starts = new QueueStarts();
        starts.fold(new TopicDeleted("before"), 10);
        starts.fold(new QueueFloor(700), 20);
        starts.fold(new TopicDeleted("after"), 30);
        assertThat(starts.of("before")).isEqualTo(700);
        assertThat(starts.of("unknown")).isEqualTo(700);
        assertThat(starts.of("after")).isZero();
        starts.fold(new LogTrimmed(25), 40);
        assertThat(starts.of("unknown")).as("the floor left the log").isZero();
    }

    @Test
    void aDeletionIsForgottenWhenItsFactLeavesTheLog() {
        QueueStarts starts = new QueueStarts();
        starts.fold(new TopicDeleted("a"), 10);
        starts.fold(new TopicDeleted("b"), 20);
        starts.fold(new LogTrimmed(20), 30);
        assertThat(starts.isClosed("a")).isFalse();
        assertThat(starts.isClosed("b")).isTrue();
    }
}
