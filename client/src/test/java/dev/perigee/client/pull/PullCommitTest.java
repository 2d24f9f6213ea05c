package dev.perigee.client.pull;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.error.RefusedException;
import dev.perigee.client.fake.FakeOffsets;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.ResponseCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class PullCommitTest {
    private PullWorld pulls;

    @BeforeEach
    void oneBroker() throws Exception {
        pulls = new PullWorld();
    }

    private PullConsumer byUser(String name) throws Exception {
        return pulls.start(pulls.builder(name).autoCommitMs(0));
    }

    @Test
    void uncommittedPolledMessagesComeToTheNextOwner() throws Exception {
        PullConsumer first = byUser("c1");
        assertThat(pulls.drain(first)).hasSize(100);
        PullConsumer second = byUser("c2");
        pulls.world.run(2_000, 100);

        assertThat(pulls.drain(second)).hasSize(50);
        assertThat(pulls.stored(PullWorld.FIRST)).isZero();
        assertThat(pulls.stored(PullWorld.SECOND)).isZero();
    }

    @Test
    void committedMessagesDoNotComeToTheNextOwner() throws Exception {
        PullConsumer first = byUser("c1");
        assertThat(pulls.drain(first)).hasSize(100);
        pulls.world.await(first.commitAsync(), 1_000);
        PullConsumer second = byUser("c2");
        pulls.world.run(2_000, 100);

        assertThat(pulls.drain(second)).isEmpty();
        assertThat(pulls.stored(PullWorld.FIRST)).isEqualTo(50);
    }

    @Test
    void withAutomaticCommitsAQueueThatGoesTakesItsPositionAlong() throws Exception {
        PullConsumer first = pulls.start(pulls.builder("c1"));
        assertThat(pulls.drain(first)).hasSize(100);
        PullConsumer second = pulls.start(pulls.builder("c2"));
        pulls.world.run(1_000, 100);
        assertThat(pulls.drain(second)).isEmpty();
    }

    @Test
    void theBatchThatIsOutWhenItsQueueGoesComesToTheNextOwner() throws Exception {
        PullConsumer first = pulls.start(pulls.builder("c1"));
        int polled = pulls.poll(first).size();
        assertThat(polled).isEqualTo(32);
        PullConsumer second = pulls.start(pulls.builder("c2"));
        pulls.world.run(1_000, 100);
        List<String> others = pulls.drain(second);
        List<String> own = pulls.drain(first);
        assertThat(others).hasSize(50);
        assertThat(own.size())
                .as("what was out is not given again to whoever kept its queue")
                .isIn(18, 50);
    }

    @Test
    void aRefusedCommitFailsTheCall() throws Exception {
        PullConsumer consumer = byUser("c");
        pulls.drain(consumer);
        pulls.broker.positions().answer(FakeOffsets.Question.COMMIT, ResponseCode.MESSAGE_ILLEGAL);
        assertThatThrownBy(() -> pulls.world.await(consumer.commitAsync(), 5_000))
                .hasCauseInstanceOf(RefusedException.class)
                .hasMessageContaining("code=13");
        assertThatThrownBy(() -> pulls.world.await(consumer.commitAsync(Map.of(PullWorld.FIRST, 7L)), 5_000))
                .hasCauseInstanceOf(RefusedException.class);

        pulls.broker.positions().answer(FakeOffsets.Question.COMMIT, 0);
        pulls.world.await(consumer.commitAsync(), 5_000);
        assertThat(pulls.stored(PullWorld.FIRST)).isEqualTo(50);
        assertThat(pulls.stored(PullWorld.SECOND)).isEqualTo(50);
    }

    @Test
    void exactlyTheGivenPositionsAreCommitted() throws Exception {
        PullConsumer consumer = byUser("c");
        pulls.drain(consumer);
        assertThat(pulls.world.await(consumer.commitAsync(Map.of(PullWorld.FIRST, 7L)), 5_000))
                .isEmpty();
        assertThat(pulls.stored(PullWorld.FIRST)).isEqualTo(7);
        assertThat(pulls.stored(PullWorld.SECOND)).isZero();
    }

    /** R13-06: commits of a queue that wait for the same turn are one, of the newest position. */
    @Test
    void ofSeveralCommitsUnderWayTheNewestCountsAsCommitted() throws Exception {
        PullConsumer consumer = byUser("c");
        assertThat(pulls.drain(consumer)).hasSize(100);
        pulls.broker.positions().holdCommits();
        List<CompletableFuture<?>> commits = new ArrayList<>();
        for (long offset : List.of(7L, 50L, 20L)) {
            commits.add(consumer.commitAsync(Map.of(PullWorld.FIRST, offset)));
            pulls.world.settle();
        }
        pulls.broker.positions().answerHeldCommits();
        pulls.world.settle();
        assertThat(commits).allMatch(CompletableFuture::isDone);
        assertThat(pulls.stored(PullWorld.FIRST)).isEqualTo(20);

        pulls.world.await(consumer.commitAsync(), 1_000);
        assertThat(pulls.stored(PullWorld.FIRST)).as("all that was consumed").isEqualTo(50);
    }

    @Test
    void committingAQueueNotReadIsRefusedByNameAndCommitsNothing() throws Exception {
        PullConsumer consumer = byUser("c");
        MessageQueue foreign = new MessageQueue("T", "a", 7);
        assertThat(pulls.world.await(consumer.commitAsync(Map.of(PullWorld.FIRST, 7L, foreign, 1L)), 5_000))
                .containsExactly(foreign);
        assertThat(pulls.stored(PullWorld.FIRST)).isZero();
        assertThatThrownBy(() -> consumer.commitAsync(Map.of(PullWorld.FIRST, -1L)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("offset=-1");
    }

    @Test
    void closingCommitsWhatWasPolledOnlyWithAutomaticCommits() throws Exception {
        PullConsumer consumer = byUser("c");
        pulls.drain(consumer);
        pulls.world.await(consumer.leave(), 5_000);
        pulls.kill(consumer);
        assertThat(pulls.stored(PullWorld.FIRST)).isZero();

        PullConsumer automatic = pulls.start(pulls.builder("auto"));
        int polled = pulls.poll(automatic).size();
        pulls.world.await(automatic.leave(), 5_000);
        pulls.kill(automatic);
        assertThat(pulls.broker.offsets().values()).contains((long) polled);
    }

    @Test
    void aStartNobodyHadStoredIsStoredBeforeAnythingIsPolled() throws Exception {
        PullConsumer consumer = pulls.builder("c")
                .autoCommitMs(0)
                .consumeFrom(ConsumeFrom.lastOffset())
                .build();
        pulls.world.add(consumer.loop());
        consumer.subscribe("T", "*");
        pulls.world.await(consumer.startAsync(), 10_000);
        assertThat(pulls.stored(PullWorld.FIRST)).isEqualTo(50);
        pulls.broker.log().append("T", 0, "late", "");
        pulls.kill(consumer);

        PullConsumer next = byUser("next");
        pulls.world.run(1_000, 100);
        assertThat(pulls.drain(next)).containsExactly("late");
    }

    @Test
    void queuesAssignedByHandLeaveThePositionsOfTheGroupAlone() throws Exception {
        PullConsumer consumer = pulls.builder("c").autoCommitMs(0).build();
        pulls.world.add(consumer.loop());
        consumer.assign(List.of(PullWorld.FIRST));
        pulls.world.await(consumer.startAsync(), 10_000);
        assertThat(pulls.drain(consumer)).hasSize(50);
        assertThat(pulls.broker.offsets()).isEmpty();
        pulls.world.await(consumer.commitAsync(), 1_000);
        assertThat(pulls.stored(PullWorld.FIRST)).isEqualTo(50);
    }
}
