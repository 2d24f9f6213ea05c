package dev.perigee.client.position;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.error.Completion;
import dev.perigee.protocol.message.MessageQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

final class CommitOrderTest {
    private static final MessageQueue ONE = new MessageQueue("T", "a", 0);
    private static final MessageQueue OTHER = new MessageQueue("T", "a", 1);
    private static final MessageQueue ELSEWHERE = new MessageQueue("T", "b", 0);

    /** What was sent, oldest first, as {@code queue=offset}, and what answers it. */
    private final List<String> sent = new ArrayList<>();

    private final List<CompletableFuture<Void>> answers = new ArrayList<>();

    private final CommitOrder order = new CommitOrder((queue, offset) -> {
        sent.add(queue.brokerName() + queue.queueId() + "=" + offset.getAsLong());
        CompletableFuture<Void> answer = new CompletableFuture<>();
        answers.add(answer);
        return answer;
    });

    private void commit(MessageQueue queue, long offset) {
        Completion.unawaited(order.commit(queue, offset));
    }

    private void answer(int number) {
        answers.get(number).complete(null);
    }

    @Test
    void theFirstCommitOfATopicGoesToEachBrokerAlone() {
        commit(ONE, 1);
        CompletableFuture<Void> second = order.commit(OTHER, 2);
        commit(ELSEWHERE, 3);
        assertThat(sent).containsExactly("a0=1", "b0=3");
        answer(0);
        assertThat(sent).containsExactly("a0=1", "b0=3", "a1=2");
        assertThat(second).isNotDone();
        answer(2);
        assertThat(second).isCompleted();
    }

    @Test
    void laterCommitsOfSeveralQueuesGoAtOnce() {
        commit(ONE, 1);
        answer(0);
        commit(ONE, 2);
        commit(OTHER, 2);
        assertThat(sent).containsExactly("a0=1", "a0=2", "a1=2");
    }

    @Test
    void commitsOfOneQueueFollowEachOtherAndOnlyTheNewestWaits() {
        CompletableFuture<Void> one = order.commit(ONE, 1);
        CompletableFuture<Void> two = order.commit(ONE, 2);
        CompletableFuture<Void> three = order.commit(ONE, 3);
        assertThat(sent).containsExactly("a0=1");
        answer(0);
        assertThat(one).isCompleted();
        assertThat(sent).containsExactly("a0=1", "a0=3");
        assertThat(two).isNotDone();
        answer(1);
        assertThat(List.of(two, three)).allMatch(CompletableFuture::isDone);
        assertThat(sent).hasSize(2);
    }

    @Test
    void aSmallerPositionThatIsAskedForLaterIsSentLater() {
        commit(ONE, 9);
        commit(ONE, 4);
        answer(0);
        assertThat(sent).containsExactly("a0=9", "a0=4");
    }

    @Test
    void aPositionThatIsUnderWayIsNotSentTwice() {
        CompletableFuture<Void> one = order.commit(ONE, 1);
        CompletableFuture<Void> again = order.commit(ONE, 1);
        answer(0);
        assertThat(List.of(one, again)).allMatch(CompletableFuture::isDone);
        assertThat(sent).containsExactly("a0=1");
        commit(ONE, 1);
        assertThat(sent).containsExactly("a0=1", "a0=1");
    }

    @Test
    void whatWaitsGoesAlsoWhenTheOneBeforeFails() {
        CompletableFuture<Void> one = order.commit(ONE, 1);
        CompletableFuture<Void> other = order.commit(OTHER, 5);
        CompletableFuture<Void> two = order.commit(ONE, 2);
        answers.get(0).completeExceptionally(new IllegalStateException("no answer"));
        assertThat(one).isCompletedExceptionally();
        assertThat(sent).containsExactlyInAnyOrder("a0=1", "a1=5", "a0=2");
        answer(1);
        answer(2);
        assertThat(List.of(other, two)).allMatch(done -> done.isDone() && !done.isCompletedExceptionally());
    }

    /** R13-02: a broker that took none has no table yet. */
    @Test
    void aFirstCommitThatFailsIsFollowedByAnotherFirstOne() {
        commit(ONE, 1);
        answers.get(0).completeExceptionally(new IllegalStateException("no answer"));
        commit(ONE, 2);
        commit(OTHER, 5);
        assertThat(sent).containsExactly("a0=1", "a0=2");
        answer(1);
        assertThat(sent).containsExactly("a0=1", "a0=2", "a1=5");
    }

    @Test
    void aQueueIsSettledWhenItsLastCommitIsAnsweredOrHasFailed() {
        assertThat(order.settled(ONE)).isCompleted();
        commit(ONE, 1);
        commit(ONE, 2);
        CompletableFuture<Void> settled = order.settled(ONE);
        answer(0);
        assertThat(settled).isNotDone();
        answers.get(1).completeExceptionally(new IllegalStateException("no answer"));
        assertThat(settled).isCompleted();
        assertThat(order.settled(ONE)).isCompleted();
    }

    @Test
    void aPositionMayChangeUntilItGoes() {
        List<LongSupplier> going = new ArrayList<>();
        CommitOrder slow = new CommitOrder((queue, offset) -> {
            going.add(offset);
            return new CompletableFuture<>();
        });
        CompletableFuture<Void> one = slow.commit(ONE, 1);
        assertThat(slow.commit(ONE, 2)).isSameAs(one);
        assertThat(going.get(0).getAsLong()).isEqualTo(2);
        assertThat(slow.commit(ONE, 3)).isNotSameAs(one);
        assertThat(going).hasSize(1);
    }

    @Test
    void aSenderThatAnswersAtOnceIsFollowedByTheNext() {
        List<Long> reached = new ArrayList<>();
        CommitOrder prompt = new CommitOrder((queue, offset) -> {
            reached.add(offset.getAsLong());
            return CompletableFuture.completedFuture(null);
        });
        for (long offset = 0; offset < 3; offset++) {
            assertThat(prompt.commit(ONE, offset)).isCompleted();
        }
        assertThat(reached).containsExactly(0L, 1L, 2L);
    }
}
